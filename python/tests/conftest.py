"""Scenes that the tests share, each with a motion known in closed form."""

import carom
import pytest

BALL = """carom: 1
title: Ball
parameters: {h: 1, e: 0.5, g: 9.81}
inputs: {push: 0}
model:
  coordinates: {y: {start: h, unit: m}}
  kinetic: y_dot^2/2
  potential: g*y
  forces: {y: push}
  contacts: {floor: {gap: y, restitution: e}}
run: {integrator: lobatto, stages: 3, events: locate, dt: 1e-2, until: 1}
"""

OSCILLATOR = {
    "parameters": {"m": 2, "k": 8, "a": 0.3, "twice": "2*a"},
    "inputs": {"motor": 0},
    "model": {"coordinates": {"x": {"start": "a", "unit": "m"}}, "kinetic": "m/2*x_dot^2", "potential": "k/2*x^2",
              "forces": {"x": "motor"}},
    "run": {"integrator": "lobatto", "stages": 4, "dt": 1e-2, "until": 2},
}


@pytest.fixture
def ball() -> carom.Scene:
    return carom.Scene.parse(BALL, "ball.yaml")


@pytest.fixture
def oscillator() -> carom.Scene:
    return carom.Scene(OSCILLATOR, name="oscillator")

#!/bin/bash
# 'carom movie' beside a browser that forgets a picture, as chromium does on a busy machine: it is asked again, and the
# movie is whole. A browser that ends is told.
. tests/robustness/support.bash
cd "$scratch" || exit 1
ball ball "until: 0.1"
expect 0 "" "$carom" run ball.yaml --out ball.h5 --quiet

# It answers as chromium's DevTools do, by descriptors 3 and 4, but for the first picture.
mkdir bin
cat >bin/chromium <<'PYTHON'
#!/usr/bin/env python3
import json, os
PICTURE = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
asked = 0
with os.fdopen(3, "rb") as requests, os.fdopen(4, "wb") as answers:
    text = b""
    while byte := requests.read(1):
        if byte != b"\0":
            text += byte
            continue
        message, text = json.loads(text), b""
        method, result = message["method"], {}
        if method == "Target.createTarget": result = {"targetId": "page"}
        if method == "Target.attachToTarget": result = {"sessionId": "session"}
        if method == "Runtime.evaluate": result = {"result": {"type": "boolean", "value": True}}
        if method == "Page.captureScreenshot":
            asked += 1
            if "ENDS" in os.environ: break
            if asked == 1: continue
            result = {"data": PICTURE}
        answers.write(json.dumps({"id": message["id"], "result": result}, separators=(",", ":")).encode() + b"\0")
        answers.flush()
PYTHON
chmod +x bin/chromium
PATH=$PWD/bin:$PATH

expect 0 "" "$carom" movie ball.h5 --out pictures --rate 2 --speed 0.1 --size 64x64
ls pictures/*.png >/dev/null 2>&1 || wrong "there are no pictures"
for picture in pictures/*.png; do
    [ "$(head -c 4 "$picture" | tail -c 3)" = PNG ] || wrong "$picture is no picture"
done
ENDS=1 expect 1 "the browser does not answer" "$carom" movie ball.h5 --out none --rate 2 --speed 0.1 --size 64x64
finish

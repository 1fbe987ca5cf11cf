"""A headless browser for tests, by WebDriver: chromedriver speaks HTTP and JSON."""
import atexit
import json
import re
import shutil
import subprocess
import sys
import urllib.request

OPTIONS = ["--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--use-gl=angle", "--use-angle=swiftshader",
           "--enable-unsafe-swiftshader", "--hide-scrollbars", "--no-first-run", "--window-size=560,480"]
PATIENCE = 300   # seconds that an answer may take: a busy machine without a graphics card draws slowly


def programs():
    """The browser and its driver; a test without them is skipped."""
    browser = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    driver = shutil.which("chromedriver")
    if not browser or not driver:
        print("there is no", "chromium" if not browser else "chromedriver")
        sys.exit(77)
    return browser, driver


class Browser:
    def __init__(self, more=(), phone=None):
        """more: options of the browser; phone: (width, height) of a screen to touch."""
        browser, driver = programs()
        self.driver = subprocess.Popen([driver, "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        atexit.register(self.close)
        self.address = ""
        for line in self.driver.stdout:
            found = re.search(r"successfully on port (\d+)", line)
            if found:
                break
        self.address = f"http://127.0.0.1:{found.group(1)}"
        wanted = {"browserName": "chrome", "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"},
                  "goog:chromeOptions": {"binary": browser, "args": OPTIONS + list(more)}}
        if phone:
            metrics = {"width": phone[0], "height": phone[1], "pixelRatio": 2, "touch": True}
            wanted["goog:chromeOptions"]["mobileEmulation"] = {"deviceMetrics": metrics}
        session = self.ask("POST", "/session", {"capabilities": {"alwaysMatch": wanted}})
        self.address += "/session/" + session["sessionId"]
        self.ask("POST", "/timeouts", {"script": 1000 * PATIENCE, "pageLoad": 1000 * PATIENCE})

    def ask(self, method, path, data=None):
        body = json.dumps(data).encode() if data is not None else None
        request = urllib.request.Request(self.address + path, body, {"Content-Type": "application/json"}, method=method)
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            return json.load(answer)["value"]

    def open(self, address):
        self.ask("POST", "/url", {"url": address})

    def run(self, script, *arguments):
        """What the function body returns in the page; promises are waited for."""
        return self.ask("POST", "/execute/sync", {"script": script, "args": list(arguments)})

    def press(self, *keys):
        actions = [{"type": kind, "value": key} for key in keys for kind in ("keyDown", "keyUp")]
        self.ask("POST", "/actions", {"actions": [{"type": "key", "id": "keys", "actions": actions}]})

    def click(self, x, y):
        move = {"type": "pointerMove", "x": int(x), "y": int(y), "duration": 0}
        press = [{"type": kind, "button": 0} for kind in ("pointerDown", "pointerUp")]
        self.ask("POST", "/actions", {"actions": [{"type": "pointer", "id": "mouse", "actions": [move] + press}]})

    def drag(self, start, end, shift=False):
        """With the mouse, shift pressed or not."""
        move = [{"type": "pointerMove", "x": int(x), "y": int(y), "duration": 20 * k} for k, (x, y) in enumerate((start, end))]
        mouse = [move[0], {"type": "pointerDown", "button": 0}, move[1], {"type": "pointerUp", "button": 0}]
        keys = [{"type": "keyDown", "value": "\ue008"}, {"type": "pause"}, {"type": "pause"}, {"type": "pause"}, {"type": "keyUp", "value": "\ue008"}]
        idle = {"type": "pause"}
        actions = [{"type": "pointer", "id": "mouse", "actions": [idle] * shift + mouse}]
        self.ask("POST", "/actions", {"actions": actions + [{"type": "key", "id": "keys", "actions": keys}] * shift})

    def wheel(self, at, by):
        scroll = {"type": "scroll", "x": int(at[0]), "y": int(at[1]), "deltaX": 0, "deltaY": by, "duration": 0, "origin": "viewport"}
        self.ask("POST", "/actions", {"actions": [{"type": "wheel", "id": "wheel", "actions": [scroll]}]})

    def touch(self, *ways):
        """Fingers that go along ways, each a list of points, all of one length."""
        fingers = []
        for number, (start, *rest) in enumerate(ways):
            move = [{"type": "pointerMove", "x": int(x), "y": int(y), "duration": 20} for x, y in [start] + rest]
            actions = [move[0], {"type": "pointerDown", "button": 0}] + move[1:] + [{"type": "pointerUp", "button": 0}]
            fingers.append({"type": "pointer", "id": f"finger{number}", "parameters": {"pointerType": "touch"}, "actions": actions})
        self.ask("POST", "/actions", {"actions": fingers})

    def said(self):
        """What the console got since the last call."""
        return [entry["message"] for entry in self.ask("POST", "/se/log", {"type": "browser"})]

    def requests(self):
        """Addresses that were asked for since the last call."""
        entries = [json.loads(entry["message"])["message"] for entry in self.ask("POST", "/se/log", {"type": "performance"})]
        return [entry["params"]["request"]["url"] for entry in entries if entry["method"] == "Network.requestWillBeSent"]

    def close(self):
        """Also at the end of a test that failed: no browser is left behind."""
        try:
            if "/session/" in self.address:
                self.ask("DELETE", "")
        finally:
            self.address = ""
            self.driver.terminate()
            self.driver.wait()

# SPDX-License-Identifier: Apache-2.0
"""A headless Chromium, controlled through the pipe of its DevTools protocol with the standard library alone."""
import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

import case


def find():
    """The program, or None if it is not installed."""
    for name in ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable"):
        found = shutil.which(name)
        if found:
            return found
    return None

# A copy of the map, its place on the screen and its pixels for each of the screen.
COPY = """const map = document.getElementById('map'), box = map.getBoundingClientRect(), ratio = map.width / box.width;
  const copy = document.createElement('canvas').getContext('2d');
  Object.assign(copy.canvas, { width: map.width, height: map.height });
  copy.drawImage(map, 0, 0);"""
# The colours at places on the screen.
COLOURS = f"""((places) => {{ {COPY}
  const {{ data }} = copy.getImageData(0, 0, map.width, map.height);
  const first = ([x, y]) => 4 * (Math.floor((y - box.y) * ratio) * map.width + Math.floor((x - box.x) * ratio));
  return places.map((place) => [...data.slice(first(place), first(place) + 3)]); }})"""


class Browser:
    """One page. Errors of its console and of the browser are collected in `complaints`."""

    PATIENCE = 60  # s, for an answer or for something to become true

    def __init__(self, program):
        self.profile = tempfile.mkdtemp(prefix="sciara-browser-")
        self.complaints, self.requests, self.number, self.buffer = [], [], 0, b""
        to_read, self.write_end = os.pipe()
        self.read_end, to_write = os.pipe()
        # It reads commands from its descriptor 3 and answers on 4. Root and containers have no sandbox.
        command = ['exec "$0" "$@" 3<&%d 4>&%d' % (to_read, to_write), program, "--headless=new", "--no-sandbox",
                   "--remote-debugging-pipe", f"--user-data-dir={self.profile}", "--disable-gpu", "--no-first-run",
                   "--disable-dev-shm-usage", "--disable-extensions", "--disable-background-networking",
                   "--disable-component-update", "--host-resolver-rules=MAP * ~NOTFOUND", "about:blank"]
        quiet = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        self.process = subprocess.Popen(["bash", "-c", *command], pass_fds=(to_read, to_write), cwd=self.profile,
                                        **quiet)
        os.close(to_read)
        os.close(to_write)
        self.session = None
        page = next(one for one in self.wait_for_targets() if one["type"] == "page")
        self.session = self.call("Target.attachToTarget", targetId=page["targetId"], flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def wait_for_targets(self):
        for _ in range(100):
            found = self.call("Target.getTargets")["targetInfos"]
            if any(one["type"] == "page" for one in found):
                return found
            time.sleep(0.1)
        raise AssertionError("the browser has no page")

    def close(self):
        try:
            self.session = None
            self.call("Browser.close")
        except (OSError, AssertionError):
            self.process.kill()
        self.process.wait(timeout=self.PATIENCE)
        os.close(self.write_end)
        os.close(self.read_end)
        shutil.rmtree(self.profile, ignore_errors=True)

    def read_message(self):
        while b"\0" not in self.buffer:
            if not select.select([self.read_end], [], [], self.PATIENCE)[0]:
                raise AssertionError("the browser does not answer")
            bytes_read = os.read(self.read_end, 1 << 20)
            if not bytes_read:
                raise AssertionError("the browser has ended")
            self.buffer += bytes_read
        text, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(text)

    def note(self, event):
        method, details = event.get("method"), event.get("params", {})
        if method == "Runtime.exceptionThrown":
            self.complaints.append(json.dumps(details["exceptionDetails"]))
        elif method == "Runtime.consoleAPICalled":
            self.complaints.append(f"console.{details['type']}: {json.dumps(details['args'])}")
        elif method == "Log.entryAdded":
            self.complaints.append(f"{details['entry']['level']}: {details['entry']['text']}")
        elif method == "Network.requestWillBeSent":
            self.requests.append(details["request"]["url"])
        return method

    def call(self, method, **params):
        """Sends a command of the protocol and returns its answer; events in between are recorded."""
        self.number += 1
        message = {"id": self.number, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.write_end, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.read_message()
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise AssertionError(f"{method}: {answer['error']}")
                return answer["result"]
            self.note(answer)

    def evaluate(self, script):
        """The value of an expression in the page, awaited."""
        result = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            raise AssertionError(f"{script}: {json.dumps(result['exceptionDetails'])}")
        return result["result"].get("value")

    def wait_until(self, script):
        end = time.monotonic() + self.PATIENCE
        while not self.evaluate(script):
            if time.monotonic() > end:
                raise AssertionError(f"did not become true: {script}")
            time.sleep(0.05)

    def wait_for_layout(self):
        """Until what the page does when its layout changes is done and drawn."""
        self.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))")

    def open(self, url, width=1280, height=900, dark=False, touch=False, ratio=1):
        self.complaints.clear()
        self.requests.clear()
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=ratio,
                  mobile=touch)
        self.call("Emulation.setTouchEmulationEnabled", enabled=touch)
        self.call("Emulation.setEmulatedMedia",
                  features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])
        self.call("Page.navigate", url=url)
        self.wait_until("document.readyState === 'complete'")

    def key(self, key, code=None, shift=False):
        """Presses a key on the element with the focus; " " and letters also write."""
        codes = {"ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40, "Tab": 9, "Home": 36, "End": 35}
        event = {"key": key, "code": code or key, "windowsVirtualKeyCode": codes.get(key, ord(key[0])),
                 "modifiers": 8 if shift else 0}
        text = {"text": key} if len(key) == 1 else {}
        self.call("Input.dispatchKeyEvent", type="keyDown", **event, **text)
        self.call("Input.dispatchKeyEvent", type="keyUp", **event)

    def mouse(self, kind, x, y, **more):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def click(self, x, y):
        self.mouse("mouseMoved", x, y)
        self.mouse("mousePressed", x, y, button="left", clickCount=1)
        self.mouse("mouseReleased", x, y, button="left", clickCount=1)

    def screenshot(self, path):
        """A JPEG of the visible part."""
        picture = self.call("Page.captureScreenshot", format="jpeg", quality=85)
        with open(path, "wb") as f:
            f.write(base64.b64decode(picture["data"]))


class BrowserCase(case.SharedCase):
    """Tests of pages that `prepare` made."""

    READY = "!document.getElementById('content').hidden || !document.getElementById('failure').hidden"

    @classmethod
    def start_browser(cls):
        cls.browser = Browser(find())
        cls.addClassCleanup(cls.browser.close)

    def open(self, *names, **how):
        """Opens a page of the folder; nothing fails and nothing else is loaded."""
        page = f"file://{self.path(*names)}"
        self.browser.open(page, **how)
        self.browser.wait_until(self.READY)
        self.browser.wait_for_layout()
        self.assertEqual((self.text("failure"), self.browser.complaints, self.browser.requests), ("", [], [page]))

    def text(self, name):
        return self.browser.evaluate(f"document.getElementById('{name}')?.textContent ?? null")


def skip_without():
    """Ends a script where there is no browser, or where a sanitizer would watch only that."""
    case.skip_without(find(), "there is no Chromium (apt-get install chromium)")
    case.skip_without(not case.SANITIZED, "sanitizers see nothing of a browser; other tests make the same pages")

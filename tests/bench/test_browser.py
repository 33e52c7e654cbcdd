"""report.html in a real browser, driven over the WebDriver protocol's plain HTTP."""

import json
import shutil
import socket
import subprocess
import time
import urllib.request

import pytest

from isvmde.bench import write_report
from tests.bench.made_up_results import make_results

BROWSER = shutil.which("chromium") or shutil.which("chromium-browser")
DRIVER = shutil.which("chromedriver")

pytestmark = pytest.mark.skipif(
    not (BROWSER and DRIVER), reason="no Chromium with chromedriver is installed"
)

FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--window-size=1280,1000",
]


class Browser:
    """The few commands of WebDriver a test needs."""

    def __init__(self, port):
        self.base = f"http://127.0.0.1:{port}"

    def call(self, method, path, **body):
        data = json.dumps(body).encode() if method == "POST" else None
        request = urllib.request.Request(self.base + path, data, method=method)
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.load(answer)["value"]

    def open(self, profile):
        options = {"binary": BROWSER, "args": [*FLAGS, f"--user-data-dir={profile}"]}
        wanted = {
            "goog:chromeOptions": options,
            "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"},
        }
        capabilities = {"alwaysMatch": wanted}
        session = self.call("POST", "/session", capabilities=capabilities)
        self.base += f"/session/{session['sessionId']}"

    def script(self, code):
        return self.call("POST", "/execute/sync", script=code, args=[])

    def click(self, css):
        found = self.call("POST", "/element", using="css selector", value=css)
        (element,) = found.values()
        self.call("POST", f"/element/{element}/click")

    def log(self, kind):
        return self.call("POST", "/se/log", type=kind)


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    driver = subprocess.Popen(
        [DRIVER, f"--port={port}"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        for _ in range(100):
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.1)
        started = Browser(port)
        started.open(tmp_path_factory.mktemp("profile"))
        yield started
        started.call("DELETE", "")
    finally:
        driver.terminate()
        driver.wait()


@pytest.fixture(scope="module")
def page(browser, tmp_path_factory):
    report = write_report(make_results(), tmp_path_factory.mktemp("report"))
    browser.call("POST", "/url", url=report.files[0].as_uri())
    return browser


def column(page, table, n):
    return page.script(
        f"return [...document.querySelectorAll('#{table} tbody tr')]"
        f".map(row => row.cells[{n}].textContent)"
    )


def test_a_click_sorts_and_a_second_one_turns_round(page):
    before = [float(text.split()[0]) for text in column(page, "g_mean", 2)]
    assert before != sorted(before, reverse=True)
    page.click("#g_mean thead th:nth-child(3) button")
    down = [float(text.split()[0]) for text in column(page, "g_mean", 2)]
    assert down == sorted(before, reverse=True)
    page.click("#g_mean thead th:nth-child(3) button")
    up = [float(text.split()[0]) for text in column(page, "g_mean", 2)]
    assert up == sorted(before)
    state = page.script(
        "return [...document.querySelectorAll('#g_mean th[aria-sort]')]"
        ".map(th => th.getAttribute('aria-sort'))"
    )
    assert state == ["ascending"]


def test_names_sort_too_and_averages_stay_at_the_foot(page):
    page.click("#cba thead th:first-child button")
    names = column(page, "cba", 0)
    assert names == sorted(names)
    foot = page.script("return document.querySelector('#cba tfoot th').textContent")
    assert foot == "average"


def test_every_figure_shows(page):
    sizes = page.script(
        "return [...document.images].map(i => i.complete ? i.naturalWidth : 0)"
    )
    assert len(sizes) == 9
    assert min(sizes) > 100


def test_dark_and_light(page):
    colours = set()
    for scheme in ("light", "dark"):
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        page.call(
            "POST",
            "/goog/cdp/execute",
            cmd="Emulation.setEmulatedMedia",
            params={"features": features},
        )
        colours.add(
            page.script("return getComputedStyle(document.body).backgroundColor")
        )
    assert colours == {"rgb(255, 255, 255)", "rgb(20, 23, 27)"}


def test_a_phone_scrolls_tables_and_not_the_page(page):
    wider = page.script(
        "document.body.style.width = '380px';"
        "const wide = document.body.scrollWidth > 380;"
        "document.body.style.width = ''; return wide"
    )
    assert not wider


def test_nothing_is_fetched_and_nothing_goes_wrong(page):
    page.script("console.log('heard')")
    messages = page.log("browser")
    assert [m for m in messages if m["level"] in ("SEVERE", "WARNING")] == []
    assert any("heard" in m["message"] for m in messages)
    entries = page.log("performance")
    events = [json.loads(entry["message"])["message"] for entry in entries]
    addresses = [
        event["params"]["request"]["url"]
        for event in events
        if event["method"] == "Network.requestWillBeSent"
    ]
    assert any(address.startswith("file:") for address in addresses)
    # chrome: is the browser's own empty tab, before the report was opened.
    schemes = {address.split(":")[0] for address in addresses}
    assert schemes - {"chrome", "chrome-untrusted"} == {"file", "data"}

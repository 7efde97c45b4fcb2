import base64
import json
import os
import time
import urllib.error
import urllib.request


def submit(double, name):
    with open(os.environ.get("PICTURE", "smith.png"), "rb") as file:
        picture = base64.b64encode(file.read()).decode()
    request = urllib.request.Request(
        double["url"] + "/v2/queue",
        json.dumps({"url": "data:image/png;base64," + picture, "name": name}).encode(),
        {"Authorization": "Bearer " + double["key"], "Content-Type": "application/json"},
    )
    try:
        return urllib.request.urlopen(request)
    except urllib.error.HTTPError as refusal:
        return refusal


def test_client_waits_after_a_rate_limit(double):
    limited = submit(double, "limit-429")
    assert limited.status == 429
    time.sleep(int(limited.headers["Retry-After"]))
    assert submit(double, "limit-429").status == 202

#!/usr/bin/env python3
"""Runs the tests of nessy, an older claim server, against turnstiled.

    git clone https://github.com/genome/nessy-server
    cargo build --bin turnstiled
    runtime/claim/service/tests/nessy.py nessy-server target/debug/turnstiled

The tests call their server in the same process, through a framework's test client. This program
replaces that client with one that sends HTTP requests to a real turnstiled, started with an empty
store for each test. The repository has no copy of these tests, and CI does not run them.
"""

import builtins
import datetime
import email.utils
import http.client
import json
import subprocess
import sys
import types
import unittest
import urllib.parse


class Answer:
    def __init__(self, answer):
        self.status_code = answer.status
        self.headers = answer.headers
        self.data = answer.read().decode()


class Client:
    """What the tests use of a test client, over a connection."""

    def __init__(self, place):
        self.connection = http.client.HTTPConnection(place)

    def ask(self, method, url, query_string=None, content_type=None, data=None):
        parts = urllib.parse.urlsplit(url)
        query = urllib.parse.urlencode(query_string or {}) or parts.query
        path = parts.path + ("?" + query if query else "")
        headers = {"Content-Type": content_type} if content_type else {}
        self.connection.request(method, path, data, headers)
        return Answer(self.connection.getresponse())

    def get(self, url, **kwargs):
        return self.ask("GET", url, **kwargs)

    def patch(self, url, **kwargs):
        return self.ask("PATCH", url, **kwargs)

    def post(self, url, **kwargs):
        return self.ask("POST", url, **kwargs)

    def put(self, url, **kwargs):
        return self.ask("PUT", url, **kwargs)

    def delete(self, url, **kwargs):
        return self.ask("DELETE", url, **kwargs)


class Server:
    """A turnstiled, in place of the application that the tests make for themselves."""

    def __init__(self, program):
        arguments = [program, "--in-memory", "--listen", "127.0.0.1:0"]
        self.process = subprocess.Popen(
            arguments, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        self.url = self.process.stdout.readline().split()[-1]
        self.clients = []
        self.db_factory = types.SimpleNamespace(disconnect=self.stop)

    def test_client(self):
        client = Client(urllib.parse.urlsplit(self.url).netloc)
        self.clients.append(client)
        return client

    def stop(self):
        for client in self.clients:
            client.connection.close()
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    checkout, program = sys.argv[1:]
    # What the tests import: their own server, a JSON reader by its old name, dates; and the word
    # of an older Python.
    application = types.ModuleType("application")
    application.create_app = lambda *_, **__: Server(program)
    api = types.ModuleType("nessy.api")
    api.application = application
    nessy = types.ModuleType("nessy")
    nessy.api = api
    simplejson = types.ModuleType("simplejson")
    simplejson.loads, simplejson.dumps = json.loads, json.dumps
    simplejson.JSONDecodeError = json.JSONDecodeError
    parser = types.ModuleType("dateutil.parser")
    parser.parse = email.utils.parsedate_to_datetime
    dateutil = types.ModuleType("dateutil")
    dateutil.parser = parser
    pytz = types.ModuleType("pytz")
    pytz.UTC = types.SimpleNamespace(
        localize=lambda time: time.replace(tzinfo=datetime.timezone.utc)
    )
    modules = [nessy, api, simplejson, dateutil, parser, pytz]
    sys.modules.update({module.__name__: module for module in modules})
    builtins.xrange = range
    sys.path.insert(0, checkout)
    tests = unittest.defaultTestLoader.discover(checkout + "/tests", top_level_dir=checkout)
    result = unittest.TextTestRunner().run(tests)
    passed = result.testsRun - len(result.failures) - len(result.errors)
    print(f"{passed} of {result.testsRun} pass")
    sys.exit(not result.wasSuccessful())


if __name__ == "__main__":
    main()

"""A small client of the Kubernetes API for tests: JSON objects as dictionaries, nothing cached
but discovery. One Cluster may be used from several threads; each has its own connection.
"""

import http.client
import json
import socket
import threading
import time
import urllib.parse

from .kubeconfig import Credentials

PATCH_TYPES = {
    "merge": "application/merge-patch+json",
    "strategic": "application/strategic-merge-patch+json",
    "json": "application/json-patch+json",
    "apply": "application/apply-patch+yaml",
}


class ApiError(Exception):
    """An answer that is not a success. `reason` is the Status object's, such as "NotFound"."""

    def __init__(self, method, path, code, text):
        self.code = code
        self.reason = ""
        self.message = text.strip()
        try:
            status = json.loads(text)
            self.reason = status.get("reason") or ""
            self.message = status.get("message") or self.message
        except (ValueError, AttributeError):
            pass
        super().__init__(f"{method} {path}: {code} {self.reason}: {self.message}")


class Timeout(AssertionError):
    """Something awaited did not happen in time; a test that meets it has failed."""


class Cluster:
    def __init__(self, credentials: Credentials, timeout=30):
        self.credentials = credentials
        self.timeout = timeout
        self._local = threading.local()
        self._context = credentials.ssl_context()
        self._kinds = {}
        self._address = urllib.parse.urlsplit(credentials.server)

    # ---- requests

    def request(self, method, path, body=None, query=None, content_type="application/json", accept=None):
        """One request; the parsed JSON answer, or its text where it is not JSON. Raises ApiError."""
        response, text = self._exchange(method, _with_query(path, query), body, content_type, accept)
        if response.status >= 400:
            raise ApiError(method, path, response.status, text)
        if "json" in (response.getheader("Content-Type") or ""):
            return json.loads(text)
        return text

    def _exchange(self, method, target, body, content_type, accept):
        data = None if body is None else json.dumps(body).encode()
        headers = self._headers(accept)
        if data is not None:
            headers["Content-Type"] = content_type
        for attempt in (1, 2):
            connection = getattr(self._local, "connection", None)
            reused = connection is not None
            if not reused:
                connection = self._local.connection = self._connect(self.timeout)
            try:
                connection.request(method, target, body=data, headers=headers)
                response = connection.getresponse()
                return response, response.read().decode(errors="replace")
            except (OSError, http.client.HTTPException):
                connection.close()
                self._local.connection = None
                # A kept connection may have been closed by the server; only a read is safe to repeat.
                if not (reused and method == "GET" and attempt == 1):
                    raise
        raise AssertionError("unreachable")

    def _connect(self, timeout):
        return http.client.HTTPSConnection(
            self._address.hostname, self._address.port, timeout=timeout, context=self._context
        )

    def _headers(self, accept=None):
        headers = {"Accept": accept or "application/json"}
        if self.credentials.token:
            headers["Authorization"] = f"Bearer {self.credentials.token}"
        return headers

    # ---- objects

    def path(self, api_version, kind, name=None, namespace=None, subresource=None):
        """The URL path of an object or, without a name, of a collection.

        Raises LookupError where the server does not serve the kind.
        """
        plural, namespaced = self.resource(api_version, kind)
        parts = ["/api" if "/" not in api_version else "/apis", api_version]
        if namespaced and namespace:
            parts += ["namespaces", namespace]
        parts += [part for part in (plural, name, subresource) if part]
        return "/".join(parts)

    def resource(self, api_version, kind):
        """(plural name, whether it is namespaced) of a kind; raises LookupError where it is not served."""
        known = self._kinds.get((api_version, kind))
        if known:
            return known
        try:
            found = self.request("GET", f"{'/apis' if '/' in api_version else '/api'}/{api_version}")
        except ApiError as error:
            if error.code == 404:
                raise LookupError(f"the server does not serve {api_version}") from error
            raise
        for resource in found["resources"]:
            if "/" not in resource["name"]:
                self._kinds[api_version, resource["kind"]] = resource["name"], resource["namespaced"]
        if (api_version, kind) not in self._kinds:
            raise LookupError(f"the server does not serve kind {kind} in {api_version}")
        return self._kinds[api_version, kind]

    def _path_of(self, thing, named=True, subresource=None):
        meta = thing["metadata"]
        name = meta["name"] if named else None
        namespace = meta.get("namespace")
        path = self.path(thing["apiVersion"], thing["kind"], name, namespace, subresource)
        if not namespace and self.resource(thing["apiVersion"], thing["kind"])[1]:
            raise ValueError(f"{thing['kind']} {meta.get('name')} needs metadata.namespace")
        return path

    def get(self, api_version, kind, name, namespace=None):
        return self.request("GET", self.path(api_version, kind, name, namespace))

    def find(self, api_version, kind, name, namespace=None):
        """Like get, but None when there is no such object."""
        try:
            return self.get(api_version, kind, name, namespace)
        except ApiError as error:
            if error.code == 404:
                return None
            raise

    def list(self, api_version, kind, namespace=None, labels=None, fields=None):
        query = {"labelSelector": labels, "fieldSelector": fields}
        return self.request("GET", self.path(api_version, kind, None, namespace), query=query)["items"]

    def create(self, thing, dry_run=False):
        query = {"dryRun": "All"} if dry_run else None
        return self.request("POST", self._path_of(thing, named=False), thing, query)

    def replace(self, thing, subresource=None):
        return self.request("PUT", self._path_of(thing, subresource=subresource), thing)

    def apply(self, thing, manager="e2e", force=True, subresource=None):
        """Server-side apply; creates the object when it is not there."""
        query = {"fieldManager": manager, "force": "true" if force else "false"}
        path = self._path_of(thing, subresource=subresource)
        return self.request("PATCH", path, thing, query, PATCH_TYPES["apply"])

    def patch(self, api_version, kind, name, patch, namespace=None, type="merge", subresource=None):
        path = self.path(api_version, kind, name, namespace, subresource)
        return self.request("PATCH", path, patch, content_type=PATCH_TYPES[type])

    def delete(self, api_version, kind, name, namespace=None, propagation="Background", grace=None):
        """Deletes an object; one that is not there is fine."""
        options = {"apiVersion": "v1", "kind": "DeleteOptions", "propagationPolicy": propagation}
        if grace is not None:
            options["gracePeriodSeconds"] = grace
        try:
            return self.request("DELETE", self.path(api_version, kind, name, namespace), options)
        except ApiError as error:
            if error.code == 404:
                return None
            raise

    # ---- waiting

    def watch(self, api_version, kind, namespace=None, name=None, resource_version="0", timeout=30):
        """Yields (type, object) of a watch until the server or the timeout ends it."""
        query = {
            "watch": "true",
            "resourceVersion": resource_version,
            "fieldSelector": f"metadata.name={name}" if name else None,
            "timeoutSeconds": str(max(1, int(timeout))),
        }
        path = self.path(api_version, kind, None, namespace)
        connection = self._connect(timeout)
        deadline = time.monotonic() + timeout
        try:
            connection.request("GET", _with_query(path, query), headers=self._headers())
            stream = connection.sock  # the connection lets go of it where the answer ends by closing
            response = connection.getresponse()
            if response.status >= 400:
                raise ApiError("GET", path, response.status, response.read().decode(errors="replace"))
            while time.monotonic() < deadline:
                stream.settimeout(max(0.01, deadline - time.monotonic()))
                line = response.readline()
                if not line:
                    return
                event = json.loads(line)
                yield event["type"], event["object"]
        except (socket.timeout, TimeoutError):
            return
        finally:
            connection.close()

    def wait(self, api_version, kind, name, predicate, namespace=None, timeout=30, what="a condition"):
        """Watches one object until predicate(object) holds; the object is None while it is absent.

        Returns the object; raises Timeout with the object's last state.
        """
        deadline = time.monotonic() + timeout
        seen = None
        while True:
            seen = self.find(api_version, kind, name, namespace)
            if predicate(seen):
                return seen
            left = deadline - time.monotonic()
            if left <= 0:
                shown = json.dumps(seen, indent=1, default=str) if seen else "it does not exist"
                raise Timeout(f"{kind} {namespace or ''}/{name}: {what} not in {timeout} s; {shown}")
            version = seen["metadata"]["resourceVersion"] if seen else "0"
            # One event is the reason to look again; what is looked at is always the newest state.
            for event, thing in self.watch(api_version, kind, namespace, name, version, min(left, 5)):
                if event == "ERROR":
                    break
                seen = None if event == "DELETED" else thing
                if predicate(seen):
                    return seen

    def wait_condition(self, api_version, kind, name, type, status="True", namespace=None, timeout=30):
        """Waits until the object has the condition with this status; returns the object."""
        return self.wait(
            api_version, kind, name, lambda thing: has_condition(thing, type, status), namespace, timeout,
            f"condition {type}={status}",
        )  # fmt: skip

    def wait_gone(self, api_version, kind, name, namespace=None, timeout=30):
        self.wait(api_version, kind, name, lambda thing: thing is None, namespace, timeout, "deletion")

    # ---- common objects

    def create_namespace(self, name, labels=None):
        """A namespace in which pods can be created: its default ServiceAccount is there."""
        self.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "labels": labels or {}}})
        self.wait("v1", "ServiceAccount", "default", lambda account: account is not None, name, 30, "existence")
        return name

    def service_account_token(self, name, namespace, seconds=3600):
        request = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {"expirationSeconds": seconds}}
        path = self.path("v1", "ServiceAccount", name, namespace, "token")
        return self.request("POST", path, request)["status"]["token"]

    def as_service_account(self, name, namespace) -> "Cluster":
        """A client that is this ServiceAccount, by a token of its own."""
        token = self.service_account_token(name, namespace)
        return Cluster(Credentials(self.credentials.server, self.credentials.ca, token=token), self.timeout)

    def as_anonymous(self) -> "Cluster":
        return Cluster(Credentials(self.credentials.server, self.credentials.ca), self.timeout)


def condition(thing, type):
    """The condition of this type, or None."""
    for one in ((thing or {}).get("status") or {}).get("conditions") or []:
        if one["type"] == type:
            return one
    return None


def has_condition(thing, type, status="True") -> bool:
    found = condition(thing, type)
    return found is not None and found["status"] == status


def wait_for(predicate, timeout=30, what="a condition", interval=0.1):
    """Calls predicate until it returns something true, and returns that; raises Timeout."""
    deadline = time.monotonic() + timeout
    while True:
        result = predicate()
        if result:
            return result
        if time.monotonic() >= deadline:
            raise Timeout(f"{what} not in {timeout} s; last seen: {result!r}")
        time.sleep(interval)


def _with_query(path, query):
    filled = {name: value for name, value in (query or {}).items() if value is not None}
    return f"{path}?{urllib.parse.urlencode(filled)}" if filled else path

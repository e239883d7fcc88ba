"""Logs in at a forge with the libraries that Python programs are made of, each in a step.

`play_logins.py <url> <client id> <secret> <public client id> <redirect address>`; a browser is opened by `xdg-open`.
Ends with an AssertionError at the first step that doesn't hold.
"""

import os
import subprocess
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer
from urllib.parse import parse_qs, urlparse

from authlib.integrations.requests_client import OAuth2Session
from authlib.jose import JsonWebKey, jwt
from authlib.oidc.core import CodeIDToken
from requests import get
from requests_oauthlib import OAuth2Session as PlainSession
from social_core.backends.gitea import GiteaOAuth2
from social_core.storage import BaseStorage, NonceMixin
from social_core.strategy import BaseStrategy

url, client_id, secret, public_id, redirect = sys.argv[1:]
authorize, token_url = f"{url}/login/oauth/authorize", f"{url}/login/oauth/access_token"


def brought_back(page):
    """Opens a page for the user; answers the address to which their browser is sent back."""
    brought = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            brought.append(self.path)
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_):
            pass

    port = urlparse(redirect).port
    with HTTPServer(("127.0.0.1", port), Handler) as server:
        browser = subprocess.Popen(["xdg-open", page])
        server.handle_request()
        assert browser.wait() == 0
    return f"http://127.0.0.1:{port}{brought[0]}"


def name_of(token):
    return get(f"{url}/api/v1/user", headers={"Authorization": f"Bearer {token}"}).json().get("login")


def authlib():
    facts = get(f"{url}/.well-known/openid-configuration").json()
    verifier = "v" * 48
    session = OAuth2Session(
        client_id, secret, scope="openid profile email groups", redirect_uri=redirect, code_challenge_method="S256"
    )
    page, state = session.create_authorization_url(
        facts["authorization_endpoint"], code_verifier=verifier, nonce="n1"
    )
    token = session.fetch_token(
        facts["token_endpoint"], authorization_response=brought_back(page), state=state, code_verifier=verifier
    )
    keys = JsonWebKey.import_key_set(get(facts["jwks_uri"]).json())
    options = {"iss": {"value": url}, "aud": {"value": client_id}}
    asked = {"nonce": "n1", "client_id": client_id, "access_token": token["access_token"]}
    claims = jwt.decode(token["id_token"], keys, CodeIDToken, options, asked)
    claims.validate()
    assert claims["preferred_username"] == "alice" and "deployers:Owners" in claims["groups"]
    assert session.get(facts["userinfo_endpoint"]).json()["email"] == "alice@example.com"
    told = session.introspect_token(facts["introspection_endpoint"], token=token["access_token"])
    assert told.json()["active"], told.text
    fresh = session.refresh_token(facts["token_endpoint"], refresh_token=token["refresh_token"])
    assert name_of(fresh["access_token"]) == "alice"


def requests_oauthlib():
    os.environ["OAUTHLIB_INSECURE_TRANSPORT"] = "1"
    session = PlainSession(public_id, redirect_uri=redirect, scope=["read:user"], pkce="S256")
    page, _ = session.authorization_url(authorize)
    os.environ["OAUTHLIB_RELAX_TOKEN_SCOPE"] = "1"
    token = session.fetch_token(
        token_url, authorization_response=brought_back(page), include_client_id=True
    )
    assert name_of(token["access_token"]) == "alice"
    fresh = session.refresh_token(token_url, client_id=public_id)
    assert name_of(fresh["access_token"]) == "alice"


class Nonces(NonceMixin):
    """States that a browser was sent with: each comes back once."""

    kept = set()

    @classmethod
    def use(cls, server_url, timestamp, salt):
        cls.kept.add((server_url, timestamp, salt))
        return True

    @classmethod
    def consume(cls, server_url, timestamp, salt):
        cls.kept.remove((server_url, timestamp, salt))
        return True


class Storage(BaseStorage):
    nonce = Nonces


class Strategy(BaseStrategy):
    """What social-core needs of a site: settings, a session, the request."""

    def __init__(self, settings):
        super().__init__(Storage)
        self.settings, self.session, self.request = settings, {}, {}

    def get_setting(self, name):
        return self.settings[name]

    def session_get(self, name, default=None):
        return self.session.get(name, default)

    def session_set(self, name, value):
        self.session[name] = value

    def session_pop(self, name):
        return self.session.pop(name, None)

    def request_data(self, merge=True):
        return self.request

    def request_host(self):
        return "127.0.0.1"

    def build_absolute_uri(self, path=None):
        return redirect

    def authenticate(self, backend, *args, **kwargs):
        return backend.get_user_details(kwargs["response"])


def social_core():
    settings = {"KEY": client_id, "SECRET": secret, "API_URL": url}
    strategy = Strategy({f"SOCIAL_AUTH_GITEA_{name}": value for name, value in settings.items()})
    backend = GiteaOAuth2(strategy, redirect)
    back = brought_back(backend.auth_url())
    strategy.request = {name: value[0] for name, value in parse_qs(urlparse(back).query).items()}
    backend.data = strategy.request
    user = backend.complete()
    assert user["username"] == "alice" and user["email"] == "alice@example.com", user


steps = {
    "Authlib: discovery, PKCE, an id token with nonce and groups, userinfo, introspection, a refresh": authlib,
    "requests-oauthlib: a public client with PKCE": requests_oauthlib,
    "social-auth-core, its gitea backend": social_core,
}
for title, step in steps.items():
    step()
    print("ok:", title, flush=True)

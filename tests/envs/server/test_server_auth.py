"""Who may call, what they may send: tokens, browsers, sizes, content types, TLS."""

from __future__ import annotations

import asyncio
import base64
import datetime
import ipaddress
import os

import msgspec
import pytest
from server_doubles import OWNERS, TOKEN, alarm, served, some_tasks
from websockets.exceptions import ConnectionClosed, InvalidStatus

from qpa.contract import EnvFailure
from qpa.envs.client import RemoteEnv
from qpa.envs.server import Listen
from qpa.envs.server_auth import Tokens, check_token, find_token, new_token, read_tokens, write_token


@pytest.fixture(scope="module")
def server():
    with served(max_bytes=50_000) as running:
        yield running


def basic(token: str) -> str:
    return "Basic " + base64.b64encode(f"user:{token}".encode()).decode()


WRONG = {
    "none": {},
    "empty": {"authorization": ""},
    "other": {"authorization": f"Bearer {new_token()}"},
    "a prefix": {"authorization": f"Bearer {TOKEN[:-1]}"},
    "longer": {"authorization": f"Bearer {TOKEN}x"},
    "another case": {"authorization": f"Bearer {TOKEN.lower()}"},
    "without scheme": {"authorization": TOKEN},
    "basic outside OpenEnv's routes": {"authorization": basic(TOKEN)},
    "not ASCII": {"authorization": "Bearer \xff\xfe"},
}


@pytest.mark.parametrize("headers", WRONG.values(), ids=WRONG)
def test_without_the_token_there_is_nothing_but_health(server, headers):
    headers = {name: value.encode("latin-1") for name, value in headers.items()}
    for path in ("/ready", "/metrics", "/v1/catalog", "/v1/list", "/openenv/metadata", "/nothing"):
        if "Basic" in str(headers) and path.startswith("/openenv"):
            continue
        answer = server.http.get(path, headers=headers)
        assert (answer.status_code, answer.json()["what"]) == (401, "authorization")
        assert answer.headers["www-authenticate"] == "Bearer"
    assert server.http.post("/v1/reset", content=b"{}", headers=headers).status_code == 401
    assert server.http.get("/health", headers=headers).json() == {"status": "ok"}
    assert len(server.service.leases) == 0


def test_two_tokens_in_one_request_are_none(server):
    both = [("authorization", f"Bearer {TOKEN}"), ("authorization", f"Bearer {TOKEN}")]
    assert server.http.get("/v1/list", headers=both).status_code == 401


@pytest.mark.parametrize("token", ["", "wrong-token-of-some-length", TOKEN[:-1]])
@pytest.mark.parametrize("path", ["/v1/socket", "/openenv/ws"])
def test_a_socket_without_the_token_is_refused_at_the_handshake(server, token, path):
    with pytest.raises(InvalidStatus) as error, server.socket(token, path):
        pass
    assert error.value.response.status_code == 401
    assert msgspec.json.decode(error.value.response.body)["what"] == "authorization"


def test_browsers_are_refused_even_with_the_token(server):
    answer = server.http.get("/v1/list", headers={"authorization": f"Bearer {TOKEN}", "origin": "http://127.0.0.1"})
    assert (answer.status_code, answer.json()["what"]) == (403, "origin")
    assert not [name for name in answer.headers if name.startswith("access-control")]
    preflight = server.http.options("/v1/reset", headers={"origin": "null", "access-control-request-method": "POST"})
    assert preflight.status_code == 403 and "access-control-allow-origin" not in preflight.headers
    with pytest.raises(InvalidStatus) as error, server.socket(origin="http://evil"):
        pass
    assert error.value.response.status_code == 403


def test_what_is_too_large_is_refused_and_the_server_goes_on(server):
    large = b"[" + b" " * 60_000 + b"]"
    answer = server.post("list", large)
    assert (answer.status_code, answer.json()["what"]) == (413, "body")
    chunks = (large[i : i + 1000] for i in range(0, len(large), 1000))  # without a length in front
    headers = {"authorization": f"Bearer {TOKEN}", "content-type": "application/json"}
    assert server.http.post("/v1/list", content=chunks, headers=headers).status_code == 413
    with server.socket() as socket, pytest.raises(ConnectionClosed) as closed:
        socket.send(large)
        socket.recv(timeout=10)
    assert closed.value.rcvd.code == 1009
    assert server.post("list").status_code == 200


@pytest.mark.parametrize("kind", ["", "text/plain", "application/x-www-form-urlencoded", "json", "application/json2"])
def test_other_content_types_are_refused(server, kind):
    answer = server.post("list", **{"content-type": kind})
    assert (answer.status_code, answer.json()["what"]) == (415, "content-type")


def test_weak_tokens_and_files_that_others_read_are_refused(tmp_path):
    for weak in ("", "short", "a" * 40, "abcabcabcabcabcabcabcabcabc", "with spaces in it, long enough", "x" * 300):
        with pytest.raises(ValueError, match="random characters"):
            check_token(weak, "it")
    with pytest.raises(ValueError, match="no token"):
        Tokens({})
    with pytest.raises(ValueError, match="same token"):
        Tokens({"a": TOKEN, "b": TOKEN})
    file = tmp_path / "deep" / "tokens"
    made = write_token(file)
    assert file.stat().st_mode & 0o777 == 0o600 and read_tokens(file) == {"default": made}
    with pytest.raises(FileExistsError):
        write_token(file)
    file.write_text(f"trainer {TOKEN}\n\n{made}\n")
    assert read_tokens(file) == {"trainer": TOKEN, "default": made}
    for text, words in (("", "no token"), (f"{TOKEN}\n{made}", ":2: owner default"), ("a b c", ":1"), ("tok", ":1")):
        file.write_text(text)
        with pytest.raises(ValueError, match=words):
            read_tokens(file)
    os.chmod(file, 0o644)
    with pytest.raises(ValueError, match="chmod 600"):
        read_tokens(file)


def test_a_caller_finds_its_token_in_a_file_or_the_environment(tmp_path, monkeypatch):
    monkeypatch.setenv("QPA_ENV_TOKEN", TOKEN)
    assert find_token() == TOKEN
    made = write_token(tmp_path / "t")
    assert find_token(tmp_path / "t") == made
    monkeypatch.delenv("QPA_ENV_TOKEN")
    with pytest.raises(ValueError, match="QPA_ENV_TOKEN"):
        find_token()


def test_owners_are_found_by_the_whole_token():
    tokens = Tokens(OWNERS)
    assert {tokens.owner(token): owner for owner, token in OWNERS.items()} == {owner: owner for owner in OWNERS}
    assert [tokens.owner(t) for t in ("", TOKEN[:-1], TOKEN + "a", "\udcff")] == [None] * 4


def self_signed(folder) -> tuple[str, str]:
    """A certificate for 127.0.0.1 and its key, as PEM files."""
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.oid.NameOID.COMMON_NAME, "env")])
    now = datetime.datetime.now(datetime.UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]), critical=False)
        .sign(key, hashes.SHA256())
    )
    files = folder / "tls.crt", folder / "tls.key"
    files[0].write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    kinds = serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    files[1].write_bytes(key.private_bytes(*kinds))
    return str(files[0]), str(files[1])


@pytest.mark.parametrize("transport", ["socket", "http"])
def test_tls_works_and_an_unknown_certificate_is_refused(tmp_path, transport):
    pytest.importorskip("cryptography", reason='needs the extra "device"')
    certificate, key = self_signed(tmp_path)

    async def main(url: str) -> None:
        env = await RemoteEnv(url, TOKEN, transport=transport, ca_file=certificate).connect()
        session = await env.reset(some_tasks()[0])
        assert (await env.step(session, [alarm()]))[0].ok
        await env.close(session)
        await env.disconnect()
        stranger = RemoteEnv(url, TOKEN, transport=transport, patience_s=0.1)
        with pytest.raises(EnvFailure, match=r"certificate|connection"):
            await stranger.reset(some_tasks()[0])
        await stranger.disconnect()

    with served(listen=Listen(certificate=certificate, key=key)) as running:
        assert running.url.startswith("https://")
        asyncio.run(main(running.url))
    with pytest.raises(ValueError, match="both"):
        Listen(certificate=certificate)

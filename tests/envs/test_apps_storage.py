"""Apps & Storage: files and storage, and what all tools and worlds of the domain owe."""

from __future__ import annotations

from typing import Any

import pytest
from apps_phone import patched, said
from phone_rows import changed_or_gone as changed

from qpa.contract import Effect
from qpa.envs.sandbox import make_world, world
from qpa.envs.sandbox.domains.apps_core import ROLES
from qpa.envs.sandbox.domains.apps_storage import DOMAIN

NOW = "2025-01-15T09:00:00"
FILES = [
    {"id": "file_801", "name": "Zig.pdf", "size_kb": 100, "modified_at": "2025-01-14T12:00:00"},
    {"id": "file_802", "name": "Zag.jpg", "kind": "image", "size_kb": 3000, "modified_at": "2025-01-02T12:00:00"},
    {"id": "file_803", "name": "Zoom.mp4", "kind": "video", "size_kb": 204_800, "storage": "sd_card"},
]
SETTINGS = {
    "storage_total_mb": "131072",
    "storage_system_mb": "1024",
    "storage_media_mb": "2048",
    "sd_card": "on",
    "sd_total_mb": "300",
    "cloud_total_mb": "1000",
    "mobile_data": "on",
    "data_saver": "off",
    "junk_temp_mb": "30",
    "junk_ads_mb": "12",
    "junk_residual_mb": "0",
    "junk_packages_mb": "0",
}


def start(new_phone: Any, tables: dict[str, list[dict[str, Any]]] | None = None, **settings: str) -> Any:
    rows = make_world(0).rows
    patch: dict[str, list[dict[str, Any]]] = {
        "settings": [{"key": k, "value": v} for k, v in (SETTINGS | settings).items()],
        "wifi_networks": [{"ssid": r["ssid"], "connected": 0} for r in rows["wifi_networks"]],
        "files": [{"id": r["id"], "storage": "phone", "copy_of": ""} for r in rows["files"]] + FILES,
        "file_folders": [{"file": "Zag.jpg", "folder": "Den"}],
        "cloud_files": [{"name": r["name"], "size_kb": 0} for r in rows["cloud_files"]],
    }
    return new_phone(patch=patched(patch, tables))


@pytest.fixture
def own(new_phone: Any) -> Any:
    return start(new_phone)


# --- files ---------------------------------------------------------------------------------------------------------


def test_searching_files(own):
    zag = {"name": "Zag.jpg", "folder": "Den", "size_kb": 3000}
    assert own.data("local_file_search", keyword="ZAG") == {"items": [zag], "total": 1}
    assert own.data("local_file_search", folder="den")["items"] == [zag]
    assert own.data("local_file_search", keyword="nothing such") == {"items": [], "total": 0}
    # The undated one is new.
    names = [i["name"] for i in own.data("local_file_search", keyword="z", withinDays=2)["items"]]
    assert names[0] == "Zoom.mp4" and "Zig.pdf" in names and "Zag.jpg" not in names
    assert own.data("local_file_search", keyword="z", kind="video", minSizeMb=200)["total"] == 1
    assert own.data("local_file_search", keyword="zoom", minSizeMb=201)["total"] == 0
    sizes = [i["size_kb"] for i in own.data("local_file_search", sortBy="largest")["items"]]
    assert sizes == sorted(sizes, reverse=True) and len(sizes) == 5
    assert own.code("local_file_search", withinDays=0) == 400
    assert own.code("local_file_search", minSizeMb=-1) == 400


def test_renaming(own):
    assert own.data("rename_file", fileName="zag.jpg", newName="Cat") == {"name": "Cat.jpg"}
    assert changed(own) == {
        ("files", "file_802"): {"name": "Cat.jpg"},
        ("file_folders", "Zag.jpg"): None,
        ("file_folders", "Cat.jpg"): {"file": "Cat.jpg", "folder": "Den"},
    }
    assert said(own, "rename_file", fileName="Cat.jpg", newName="Cat.jpg") == "File already has this name"
    assert own.data("rename_file", fileName="Cat.jpg", newName="CAT.jpg") == {"name": "CAT.jpg"}
    assert own.data("rename_file", fileName="Zig.pdf", newName="Zig v1.2") == {"name": "Zig v1.2.pdf"}
    assert own.code("rename_file", fileName="Zig v1.2.pdf", newName="cat.docx") == 400
    assert own.code("rename_file", fileName="CAT.jpg", newName="a/b") == 400
    assert own.code("rename_file", fileName="CAT.jpg", newName="x" * 253) == 400
    assert own.code("rename_file", fileName="Nowhere.pdf", newName="y") == 404
    several = own.use("rename_file", fileName="z", newName="y")
    assert several.code == 409 and "Zig v1.2.pdf" in several.payload["error"]


def test_a_taken_name_is_refused(new_phone):
    phone = start(new_phone, {"files": [{"id": "file_810", "name": "Zed.pdf"}]})
    assert phone.code("rename_file", fileName="Zig.pdf", newName="ZED") == 409
    assert phone.code("copy_file", fileName="Zig.pdf", newName="zed.pdf") == 409
    assert phone.data("copy_file", fileName="Zed.pdf")["name"] == "Zed (1).pdf"
    assert phone.data("copy_file", fileName="Zed.pdf")["name"] == "Zed (2).pdf"


def test_moving_between_folders(own):
    assert own.data("move_file", fileName="Zig.pdf", folder="den") == {
        "name": "Zig.pdf",
        "folder": "Den",
        "storage": "phone",
    }
    assert changed(own) == {("file_folders", "Zig.pdf"): {"file": "Zig.pdf", "folder": "Den"}}
    assert said(own, "move_file", fileName="Zig.pdf", folder="Den") == "File already there"
    own.use("move_file", fileName="Zig.pdf", folder="documents")
    assert own.changes() == []
    assert own.code("move_file", fileName="Zig.pdf") == 400
    assert own.code("move_file", fileName="Zig.pdf", folder="a:b") == 400


def test_the_gui_agent_and_the_tools_share_folders(own):
    order = "move Zig.pdf to Taxes"
    session = own.data("control_gui_agent", action="start", appName="File Manager", instruction=order)["sessionId"]
    own.use("control_gui_agent", action="execute", sessionId=session)
    assert [i["name"] for i in own.data("local_file_search", folder="Taxes")["items"]] == ["Zig.pdf"]


def test_the_sd_card(own, new_phone):
    own.use("move_file", fileName="Zag.jpg", storage="sd_card")
    assert changed(own) == {("files", "file_802"): {"storage": "sd_card"}}
    assert own.data("query_storage", storage="sd_card") == {"total_gb": 0.29, "free_gb": 0.09}
    assert said(own, "manage_sd_card", action="mount") == "SD card already mounted"
    assert said(own, "manage_sd_card", action="eject") == "SD card ejected"
    assert changed(own)["settings", "sd_card"] == {"value": "off"}
    assert own.data("manage_sd_card", action="query") == {"inserted": True, "mounted": False}
    assert own.code("move_file", fileName="Zig.pdf", storage="sd_card") == 409
    assert own.code("query_storage", storage="sd_card") == 409
    assert own.code("delete_file", fileName="Zoom.mp4") == 404  # out of reach
    assert start(new_phone, sd_card="off", sd_total_mb="0").code("manage_sd_card", action="mount") == 409
    full = start(new_phone, sd_total_mb="202")
    assert full.code("move_file", fileName="Zag.jpg", storage="sd_card") == 409


def test_copying(own):
    assert own.data("copy_file", fileName="Zag.jpg", folder="Pictures") == {"name": "Zag (1).jpg", "folder": "Pictures"}
    (row,) = own.changes()
    assert (row.table, row.op) == ("files", "insert")
    assert row.new == {
        "id": "file_804",
        "name": "Zag (1).jpg",
        "kind": "image",
        "size_kb": 3000,
        "modified_at": NOW,
        "copy_of": "file_802",
        "storage": "phone",
        "contents": "[]",
    }
    assert start(type(own), storage_total_mb="10").code("copy_file", fileName="Zag.jpg") == 409


def test_duplicates(own):
    assert own.data("manage_duplicate_files", action="query")["total"] == 0
    own.use("copy_file", fileName="Zag.jpg")
    own.use("copy_file", fileName="Zag (1).jpg", newName="Other")
    found = own.data("manage_duplicate_files", action="query")
    assert found["items"] == [{"file": "Zag.jpg", "copies": ["Zag (1).jpg", "Other.jpg"]}]
    assert own.data("manage_duplicate_files", action="clean") == {"files": ["Zag (1).jpg", "Other.jpg"]}
    assert {k[0] for k in changed(own)} == {"recycle_bin"}
    assert said(own, "manage_duplicate_files", action="clean") == "Duplicates already clean"


def test_deleting_and_restoring(own):
    own.use("delete_file", fileName="Zag.jpg")
    after = changed(own)
    assert after["files", "file_802"] is None and after["file_folders", "Zag.jpg"] is None and len(after) == 3
    assert after["recycle_bin", "file_802"] == {**FILES[1], "storage": "phone", "copy_of": "", "contents": "[]"} | {
        "folder": "Den",
        "deleted_at": NOW,
    }
    view = {"name": "Zag.jpg", "folder": "Den", "days_left": 30}
    assert own.data("manage_recycle_bin", action="query", fileName="zag")["items"] == [view]
    own.use("manage_recycle_bin", action="restore", fileName="Zag.jpg")
    assert own.changes() == []
    own.use("delete_file", fileName="Zag.jpg")
    own.use("rename_file", fileName="Zoom.mp4", newName="Zoo")
    own.use("manage_recycle_bin", action="delete", fileName="Zag.jpg")
    assert ("recycle_bin", "file_802") not in changed(own)
    assert own.code("manage_recycle_bin", action="restore", fileName="Zag.jpg") == 404
    assert own.code("manage_recycle_bin", action="restore") == 400
    assert own.code("manage_recycle_bin", action="empty", fileName="Zag.jpg") == 400
    assert own.data("manage_recycle_bin", action="empty")["files"] == len(make_world(0).rows["recycle_bin"])
    assert said(own, "manage_recycle_bin", action="empty") == "Recycle bin already empty"


def test_restoring_never_overwrites(new_phone):
    phone = start(new_phone, {"recycle_bin": [{"id": "file_811", "name": "ZIG.pdf", "deleted_at": NOW}]})
    assert phone.code("manage_recycle_bin", action="restore", fileName="Zig.pdf") == 409


def test_archives(own):
    made = own.data("compress_files", fileNames=["zig.pdf", "Zag.jpg", "Zig.pdf"], archiveName="Bundle")
    assert made == {"name": "Bundle.zip", "files": 2, "size_kb": 70 + 3000}
    after = changed(own)  # beside the first of its files
    assert set(after) == {("files", "file_804"), ("file_folders", "Bundle.zip")}
    assert (after["files", "file_804"]["kind"], after["files", "file_804"]["size_kb"]) == ("archive", 3070)
    assert own.data("extract_archive", fileName="Bundle") == {
        "folder": "Bundle",
        "files": ["Zig (1).pdf", "Zag (1).jpg"],
    }
    after = changed(own)
    assert after["files", "file_805"]["size_kb"] == 100 and after["files", "file_806"]["kind"] == "image"
    assert after["file_folders", "Zag (1).jpg"] == {"file": "Zag (1).jpg", "folder": "Bundle"}
    assert own.data("compress_files", fileNames=["Zig.pdf"])["name"] == "Zig.zip"
    assert own.code("compress_files", fileNames=["Zig.pdf"], archiveName="BUNDLE.zip") == 409
    assert own.code("compress_files", fileNames=["Zag.jpg"], archiveName="x.rar") == 400
    assert own.code("compress_files", fileNames=["Bundle.zip"]) == 409
    assert own.code("compress_files", fileNames=[]) == 400
    assert own.code("compress_files", fileNames=["Nowhere"]) == 404
    assert own.code("extract_archive", fileName="Zoom.mp4") == 409


def test_an_archive_is_the_same_however_its_files_are_listed(own):
    own.use("compress_files", fileNames=["Zig.pdf", "Zag.jpg"], archiveName="One")
    own.use("compress_files", fileNames=["Zag.jpg", "Zig.pdf"], archiveName="Two")
    after = changed(own)
    assert after["files", "file_804"]["contents"] == after["files", "file_805"]["contents"]


def test_an_empty_archive_has_nothing_to_extract(new_phone):
    phone = start(new_phone, {"files": [{"id": "file_812", "name": "Void.zip", "kind": "archive"}]})
    assert phone.code("extract_archive", fileName="Void.zip") == 409


# --- storage -------------------------------------------------------------------------------------------------------


def test_storage_adds_up(own):
    status = own.data("query_storage")
    assert status["total_gb"] == 128 and (status["used_gb"]["system"], status["used_gb"]["media"]) == (1, 2)
    assert status["free_gb"] == pytest.approx(128 - sum(status["used_gb"].values()), abs=0.05)
    own.use("clean_junk", action="clean")
    own.use("uninstall_app", appName="WhatsApp")
    app = next(r for r in make_world(0).rows["apps"] if r["name"] == "WhatsApp")
    freed = (42 + app["size_mb"] + app["data_mb"] + app["cache_mb"]) / 1024
    assert own.data("query_storage")["free_gb"] == pytest.approx(status["free_gb"] + freed, abs=0.011)


def test_junk(own):
    assert own.data("clean_junk", action="query") == {
        "total_mb": 42,
        "junk_mb": {"temp": 30, "residual": 0, "ads": 12, "packages": 0},
    }
    assert own.data("clean_junk", action="clean", kind="ads") == {"freed_mb": 12}
    assert changed(own) == {("settings", "junk_ads_mb"): {"value": "0"}}
    assert own.data("clean_junk", action="clean") == {"freed_mb": 30}
    assert said(own, "clean_junk", action="clean") == "Junk already clean"
    assert said(own, "clean_junk", action="query") == "No junk"


def test_cloud_drive(own):
    own.use("manage_cloud_drive", action="upload", fileName="zag.jpg")
    (row,) = own.changes()
    assert row.new == {"name": "Zag.jpg", "kind": "image", "size_kb": 3000, "uploaded_at": NOW}
    assert said(own, "manage_cloud_drive", action="upload", fileName="Zag.jpg") == "File already in cloud"
    assert own.data("manage_cloud_drive", action="query", fileName="zag")["total"] == 1
    assert own.code("manage_cloud_drive", action="download", fileName="Zag.jpg") == 409  # still on the phone
    own.use("delete_file", fileName="Zag.jpg")
    assert own.data("manage_cloud_drive", action="download", fileName="Zag.jpg")["folder"] == "Download"
    assert changed(own)["file_folders", "Zag.jpg"] == {"folder": "Download"}
    own.use("manage_cloud_drive", action="delete", fileName="Zag.jpg")
    assert "cloud_files" not in {k[0] for k in changed(own)}
    assert own.code("manage_cloud_drive", action="upload") == 400
    assert own.code("manage_cloud_drive", action="delete", fileName="Nowhere.pdf") == 404


@pytest.mark.parametrize(
    "file, settings",
    [
        ("Zig.pdf", {"mobile_data": "off"}),
        ("Zoom.mp4", {"data_saver": "on"}),
        ("Zoom.mp4", {"cloud_total_mb": "100"}),
    ],
)
def test_an_upload_needs_a_network_and_room(new_phone, file, settings):
    assert start(new_phone, **settings).code("manage_cloud_drive", action="upload", fileName=file) == 409


def test_files_need_the_storage_permission(new_phone):
    phone = new_phone(denied_permissions=["MANAGE_EXTERNAL_STORAGE"])
    assert phone.code("delete_file", fileName="Resume.pdf") == 403
    assert phone.use("local_file_search").ok


# --- all tools, all worlds -----------------------------------------------------------------------------------------

ODD = ("'; DROP TABLE apps; --", "%", "名字.pdf", "🙂" * 300, "..", "a/b", " app", "a" * 2000, "\u202e")


@pytest.mark.parametrize("tool", DOMAIN.tools, ids=lambda tool: tool.spec.name)
def test_hostile_input_is_survived(new_phone, tool):
    phone = new_phone(tools=[tool.spec.name])
    properties, required = tool.spec.parameters["properties"], tool.spec.parameters["required"]
    for index, odd in enumerate(ODD):
        fill = {
            "string": odd,
            "integer": (-1, 0, 10**9, -(10**9), 1)[index % 5],
            "boolean": index % 2 == 0,
            "array": ([], [odd], [odd] * 99)[index % 3],
        }
        full = {n: s["enum"][index % len(s["enum"])] if "enum" in s else fill[s["type"]] for n, s in properties.items()}
        for arguments in (full, {n: full[n] for n in required}):
            before = phone.changes()
            feedback = phone.use(tool.spec.name, **arguments)
            assert feedback.ok or feedback.code in (400, 404, 409), feedback.payload
            if not feedback.ok or arguments.get("action") == "query" or tool.spec.effect is Effect.READ:
                assert phone.changes() == before


def test_the_domain():
    names = [tool.spec.name for tool in DOMAIN.tools]
    assert len(set(names)) == len(names) >= 23 and {"open_app", "close_app", "local_file_search"} <= set(names)
    assert {tool.spec.domain for tool in DOMAIN.tools} == {DOMAIN.name} == {"Apps & Storage"}
    assert all(len(tool.spec.description.split()) <= 10 for tool in DOMAIN.tools)


@pytest.mark.parametrize("seed", range(12))
def test_seeded_phones_are_believable(seed):
    rows = make_world(seed).rows
    settings = {r["key"]: r["value"] for r in rows["settings"]}
    apps = {r["name"]: r for r in rows["apps"]}
    assert settings["foreground_app"] == "" or apps[settings["foreground_app"]]["running"]
    assert {"Settings", "Phone", "App Store"} == {n for n, r in apps.items() if r["kind"] == "core"}
    assert {n for n, r in apps.items() if r["kind"] == "user"} <= {r["name"] for r in rows["store_apps"]}
    assert all(not r["autostart"] for r in apps.values() if r["battery"] == "restricted")
    for role in ROLES:
        assert role in apps[settings[f"default_app_{role}"]]["roles"].split()
    assert {r["app"] for r in rows["notifications"] + rows["app_permissions"]} <= set(apps)
    assert all(apps[r["app"]]["notifications"] != "off" for r in rows["notifications"])
    assert all(r["modified_at"] < NOW for r in rows["files"] + rows["recycle_bin"])
    for table in ("files", "recycle_bin", "cloud_files", "store_apps", "apps"):
        names = [r["name"].casefold() for r in rows[table]]
        assert len(names) == len(set(names)), table
    assert int(settings["storage_media_mb"]) > 0
    assert len({str(make_world(s).rows["apps"]) for s in (seed, seed + 1)}) == 2


def test_seeding_is_deterministic():
    first = make_world(7)
    world._build.cache_clear()
    assert make_world(7) == first

import { lineOf } from "./listen-line.js";

const at = new Date("2026-11-21T09:30:00.123Z");
const id = "evt_kq3v7zj2m5xw4a6bnd2tc7yhre";
const data = { id: "lbl_3fzqk7n2xw5vjm4tb6yc2redha", object: "label", status: "voided" };
const event = { id, type: "label.voided", livemode: false, created_at: at.toISOString(), data, arrivedMs: 1 };

test("an event is told with time, id, type, resource and signature", () => {
  expect(lineOf({ at, claimedId: id, event, again: false })).toBe(
    "09:30:00.123Z  evt_kq3v7zj2m5xw4a6bnd2tc7yhre  label.voided      lbl_3fzqk7n2xw5vjm4tb6yc2redha  voided         signature ok",
  );
});

test("one that came before is told as such", () => {
  expect(lineOf({ at, claimedId: id, event, again: true })).toMatch(/ {2}signature ok, received before$/);
});

test("one that was refused is told with the reason, and with its id if it has the form of one", () => {
  expect(lineOf({ at, claimedId: id, refusal: "signed 400 s ago" })).toBe(
    "09:30:00.123Z  evt_kq3v7zj2m5xw4a6bnd2tc7yhre  REFUSED with 400: signed 400 s ago",
  );
  expect(lineOf({ at, claimedId: "\u009b31mred", refusal: "no Service-Signature header" })).toBe(
    "09:30:00.123Z  an unknown event                REFUSED with 400: no Service-Signature header",
  );
});

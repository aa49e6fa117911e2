import type { ErrorCode } from "@shipping/proto/errors";

/** The advice for each error; `docs/errors.md` has more. */
export const errorGuidance: Readonly<Record<ErrorCode, string>> = {
  bad_request: "Use an HTTP library to send the request.",
  invalid_json: "Send a body that is valid JSON.",
  unauthorized: "Send an active API key as `Authorization: Bearer …`.",
  missing_scope: "Use a key with this scope. You cannot change the scopes of a key: create another key.",
  not_found: "Check the ID. A key finds only records of its own account and environment.",
  idempotency_conflict: "Use a new key for a new request. To retry a request, send it unchanged.",
  idempotency_in_progress: "Wait for the seconds in `Retry-After`, then retry the request with the same key.",
  label_exists:
    "Retrieve the shipment: its `label_id` names the label. To replace it, create a new shipment with a new label.",
  shipment_voided: "Create a new shipment and a label for it.",
  label_voided: "Create a new shipment and a label for it.",
  webhook_limit_reached: "Disable a subscription that you no longer need.",
  payload_too_large: "Send at most 64 KiB.",
  unsupported_media_type: "Send `Content-Type: application/json` and an uncompressed body in UTF-8.",
  invalid_request: "Correct every field named in `fields` and send the request again. You can use the same key.",
  rate_limited: "Wait for the seconds in `Retry-After`, then retry the request.",
  internal_error:
    "Retry the request. For a write, use the same key. If it fails again, send the request ID to support.",
  carrier_not_configured: "Use a sandbox key. Rates and labels are not available in the live environment.",
  service_unavailable: "Wait for the seconds in `Retry-After`, then retry the request. For a write, use the same key.",
};

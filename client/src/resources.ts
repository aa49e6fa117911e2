import { type Call, call, type List, type ListOptions, list } from "./call.js";
import type { Settings } from "./config.js";
import type {
  Account,
  CreatedWebhook,
  Label,
  LabelInput,
  Order,
  OrderInput,
  Rate,
  RateInput,
  Shipment,
  ShipmentInput,
  Tracking,
  Webhook,
  WebhookInput,
} from "./gen/api-types.js";
import type { ReadOptions, WriteOptions } from "./operation.js";

/** Bytes that can be given to `Response`, `Blob` and `fetch`: with TypeScript 5.7 and later, those of an `ArrayBuffer`. */
type Bytes = ReturnType<typeof Uint8Array.of>;

/** The settings are private, so that printing a client does not print its API key. */
abstract class Resource {
  readonly #settings: Settings;

  constructor(settings: Settings) {
    this.#settings = settings;
  }

  protected read<T>(path: readonly string[], options?: ReadOptions): Call<T> {
    return call(this.#settings, { method: "GET", path, answers: "data", options });
  }

  protected readFile(path: readonly string[], options?: ReadOptions): Call<Bytes> {
    return call(this.#settings, { method: "GET", path, answers: "file", options });
  }

  protected readAll<T>(path: string, options?: ListOptions): List<T> {
    return list(this.#settings, path, options);
  }

  protected post<T>(path: readonly string[], body: unknown, options?: WriteOptions): Call<T> {
    return call(this.#settings, { method: "POST", path, body, answers: "data", options });
  }

  protected delete<T>(path: readonly string[], options?: WriteOptions): Call<T> {
    return call(this.#settings, { method: "DELETE", path, answers: "data", options });
  }
}

export class AccountResource extends Resource {
  /** The account of the API key and its capabilities. Scope `account:read`. */
  get(options?: ReadOptions): Call<Account> {
    return this.read(["account"], options);
  }
}

export class OrdersResource extends Resource {
  /** Creates an order. Scope `orders:write`. */
  create(input: OrderInput, options?: WriteOptions): Call<Order> {
    return this.post(["orders"], input, options);
  }

  /** All orders. Scope `orders:read`. */
  list(options?: ListOptions): List<Order> {
    return this.readAll("orders", options);
  }

  /** An order by its ID. Scope `orders:read`. */
  get(id: string, options?: ReadOptions): Call<Order> {
    return this.read(["orders", id], options);
  }
}

export class ShipmentsResource extends Resource {
  /** Creates a shipment of one packed parcel, for an order or without one. Scope `shipments:write`. */
  create(input: ShipmentInput, options?: WriteOptions): Call<Shipment> {
    return this.post(["shipments"], input, options);
  }

  /** All shipments. Scope `shipments:read`. */
  list(options?: ListOptions): List<Shipment> {
    return this.readAll("shipments", options);
  }

  /** A shipment by its ID. Scope `shipments:read`. */
  get(id: string, options?: ReadOptions): Call<Shipment> {
    return this.read(["shipments", id], options);
  }
}

export class RatesResource extends Resource {
  /** Requests the rates of a shipment. Scope `rates:read`, sandbox only. */
  create(input: RateInput, options?: WriteOptions): Call<Rate[]> {
    return this.post(["rates"], input, options);
  }
}

export class LabelsResource extends Resource {
  /** Creates the label of a shipment with one of its rates. Scope `labels:write`, sandbox only. */
  create(input: LabelInput, options?: WriteOptions): Call<Label> {
    return this.post(["labels"], input, options);
  }

  /** All labels. Scope `labels:read`. */
  list(options?: ListOptions): List<Label> {
    return this.readAll("labels", options);
  }

  /** A label by its ID. Scope `labels:read`. */
  get(id: string, options?: ReadOptions): Call<Label> {
    return this.read(["labels", id], options);
  }

  /** Downloads the PDF of a label. Scope `labels:read`. */
  file(id: string, options?: ReadOptions): Call<Bytes> {
    return this.readFile(["labels", id, "file"], options);
  }

  /** Voids a label and its shipment. Scope `labels:write`. */
  void(id: string, options?: WriteOptions): Call<Label> {
    return this.post(["labels", id, "void"], {}, options);
  }
}

export class TrackingResource extends Resource {
  /** The tracking record of a label, by its tracking number. Scope `shipments:read`, sandbox only. */
  get(trackingNumber: string, options?: ReadOptions): Call<Tracking> {
    return this.read(["tracking", trackingNumber], options);
  }
}

export class WebhooksResource extends Resource {
  /** Subscribes a URL to events. Only this response contains the `secret`. Scope `webhooks:write`. */
  create(input: WebhookInput, options?: WriteOptions): Call<CreatedWebhook> {
    return this.post(["webhooks"], input, options);
  }

  /** All subscriptions, including disabled ones. Scope `webhooks:read`. */
  list(options?: ListOptions): List<Webhook> {
    return this.readAll("webhooks", options);
  }

  /** A subscription by its ID. Scope `webhooks:read`. */
  get(id: string, options?: ReadOptions): Call<Webhook> {
    return this.read(["webhooks", id], options);
  }

  /** Disables a subscription. A delivery that is already on its way can still arrive. Scope `webhooks:write`. */
  disable(id: string, options?: WriteOptions): Call<Webhook> {
    return this.delete(["webhooks", id], options);
  }
}

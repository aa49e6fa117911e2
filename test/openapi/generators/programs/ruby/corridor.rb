# From an order to a voided label with the client that openapi-generator makes for Ruby.
require "json"
require "openapi_client"
require "securerandom"
require "uri"

OpenapiClient.configure do |config|
  url = URI(ENV.fetch("SHIPPING_URL"))
  config.scheme, config.host, config.base_path = url.scheme, "#{url.host}:#{url.port}", url.path
  config.server_index = nil
  config.access_token = ENV.fetch("SHIPPING_KEY")
end
include OpenapiClient

def key = SecureRandom.uuid

def address(name)
  AddressInput.new(name: name, street1: "Königsallee 1", city: "Düsseldorf", postal_code: "40212", country: "DE")
end

def packed(name)
  parcel = ParcelInput.new(weight_kg: 1.25, length_cm: 30, width_cm: 20, height_cm: 10)
  { reference: "PO-1", from: address("Zoë"), to: address(name), parcel: parcel, metadata: { n: [1] } }
end

orders, labels, webhooks = OrdersApi.new, LabelsApi.new, WebhooksApi.new

order = orders.create_order(key, OrderInput.new(**packed("山田"))).data
shipment = ShipmentsApi.new.create_shipment(key, ShipmentInput.new(**packed("山田"), order_id: order.id)).data
rate = RatesApi.new.quote_rates(key, RateInput.new(shipment_id: shipment.id)).data.first
label = labels.create_label(key, LabelInput.new(shipment_id: shipment.id, rate_id: rate.id)).data
file = labels.get_label_file(label.id)
voided = labels.void_label(label.id, key, {}).data
tracking = TrackingApi.new.get_tracking(label.tracking_number).data
page = labels.list_labels(limit: 1)
subscription = webhooks.create_subscription(
  key, WebhookInput.new(url: "https://hooks.example.com/labels", events: ["label.created"])
).data
webhooks.disable_subscription(subscription.id, key)
begin
  orders.create_order(key, OrderInput.new(**packed("\u3000")))
rescue ApiError => error
  refusal = JSON.parse(error.response_body)["error"]
end

puts JSON.generate(
  label: label.id,
  pdf: File.binread(file.path, 5),
  status: voided.status,
  tracking: tracking.status,
  listed: page.data[0].id == label.id,
  secret: subscription.secret.start_with?("whsec_"),
  refusal: refusal["code"],
  fields: refusal["fields"].map { |field| field["path"] }
)

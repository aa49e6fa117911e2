<?php
// From an order to a voided label with the client that openapi-generator makes for PHP, and Guzzle.
// Composer's autoloader does this where Guzzle comes from Packagist.
require 'GuzzleHttp/autoload.php';
spl_autoload_register(function ($class) {
    if (str_starts_with($class, 'OpenAPI\\Client\\')) require __DIR__ . '/client/lib/' . strtr(substr($class, 15), '\\', '/') . '.php';
});

use OpenAPI\Client as Api;
use OpenAPI\Client\Model;

$settings = (new Api\Configuration())->setHost(getenv('SHIPPING_URL'))->setAccessToken(getenv('SHIPPING_KEY'));
$http = new GuzzleHttp\Client();
$orders = new Api\Api\OrdersApi($http, $settings);
$shipments = new Api\Api\ShipmentsApi($http, $settings);
$rates = new Api\Api\RatesApi($http, $settings);
$labels = new Api\Api\LabelsApi($http, $settings);
$webhooks = new Api\Api\WebhooksApi($http, $settings);

$key = fn() => bin2hex(random_bytes(16));
$address = fn($name) => new Model\AddressInput(
    ['name' => $name, 'street1' => 'Königsallee 1', 'city' => 'Düsseldorf', 'postal_code' => '40212', 'country' => 'DE']);
$packed = fn($name) => [
    'reference' => 'PO-1', 'from' => $address('Zoë'), 'to' => $address($name), 'metadata' => ['n' => [1]],
    'parcel' => new Model\ParcelInput(['weight_kg' => 1.25, 'length_cm' => 30, 'width_cm' => 20, 'height_cm' => 10])];

$order = $orders->createOrder($key(), new Model\OrderInput($packed('山田')))->getData();
$shipment = $shipments->createShipment(
    $key(), new Model\ShipmentInput([...$packed('山田'), 'order_id' => $order->getId()]))->getData();
[$rate] = $rates->quoteRates($key(), new Model\RateInput(['shipment_id' => $shipment->getId()]))->getData();
$label = $labels->createLabel(
    $key(), new Model\LabelInput(['shipment_id' => $shipment->getId(), 'rate_id' => $rate->getId()]))->getData();
$file = $labels->getLabelFile($label->getId());
$voided = $labels->voidLabel($label->getId(), $key(), (object) [])->getData();
$tracking = (new Api\Api\TrackingApi($http, $settings))->getTracking($label->getTrackingNumber())->getData();
$page = $labels->listLabels(1);
$subscription = $webhooks->createSubscription($key(), new Model\WebhookInput(
    ['url' => 'https://hooks.example.com/labels', 'events' => [Model\WebhookInput::EVENTS_LABEL_CREATED]]))->getData();
$webhooks->disableSubscription($subscription->getId(), $key());
try {
    $orders->createOrder($key(), new Model\OrderInput($packed("\u{3000}")));
} catch (Api\ApiException $error) {
    $refusal = $error->getResponseObject()->getError();
}

echo json_encode([
    'label' => $label->getId(),
    'pdf' => $file->fread(5),
    'status' => $voided->getStatus(),
    'tracking' => $tracking->getStatus(),
    'listed' => $page->getData()[0]->getId() === $label->getId(),
    'secret' => str_starts_with($subscription->getSecret(), 'whsec_'),
    'refusal' => $refusal->getCode(),
    'fields' => array_map(fn($field) => $field->getPath(), $refusal->getFields()),
]);

// From an order to a voided label with the client that openapi-generator makes for Java (its native HTTP client).
import java.nio.file.Files;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.openapitools.client.ApiClient;
import org.openapitools.client.ApiException;
import org.openapitools.client.api.*;
import org.openapitools.client.model.*;

public class Corridor {
    static String key() {
        return UUID.randomUUID().toString();
    }

    static AddressInput address(String name) {
        return new AddressInput().name(name).street1("Königsallee 1").city("Düsseldorf").postalCode("40212").country("DE");
    }

    static OrderInput order(String name) {
        return new OrderInput().reference("PO-1").from(address("Zoë")).to(address(name)).parcel(parcel()).metadata(Map.of("n", List.of(1)));
    }

    static ParcelInput parcel() {
        return new ParcelInput().weightKg(1.25).lengthCm(30.0).widthCm(20.0).heightCm(10.0);
    }

    public static void main(String[] args) throws Exception {
        ApiClient client = new ApiClient();
        client.updateBaseUri(System.getenv("SHIPPING_URL"));
        client.setRequestInterceptor((request) -> request.header("Authorization", "Bearer " + System.getenv("SHIPPING_KEY")));
        OrdersApi orders = new OrdersApi(client);
        LabelsApi labels = new LabelsApi(client);
        WebhooksApi webhooks = new WebhooksApi(client);

        Order order = orders.createOrder(key(), order("山田")).getData();
        ShipmentInput packed = new ShipmentInput().reference("PO-1").from(address("Zoë")).to(address("山田")).parcel(parcel());
        Shipment shipment = new ShipmentsApi(client).createShipment(key(), packed.orderId(order.getId())).getData();
        Rate rate = new RatesApi(client).quoteRates(key(), new RateInput().shipmentId(shipment.getId())).getData().get(0);
        LabelInput wanted = new LabelInput().shipmentId(shipment.getId()).rateId(rate.getId());
        Label label = labels.createLabel(key(), wanted).getData();
        String pdf = Files.readString(labels.getLabelFile(label.getId()).toPath(), java.nio.charset.StandardCharsets.ISO_8859_1);
        Label voided = labels.voidLabel(label.getId(), key(), Map.of()).getData();
        Tracking tracking = new TrackingApi(client).getTracking(label.getTrackingNumber()).getData();
        LabelListResponse page = labels.listLabels(1, null);
        WebhookInput hook = new WebhookInput().url("https://hooks.example.com/labels").addEventsItem(WebhookInput.EventsEnum.LABEL_CREATED);
        CreatedWebhook subscription = webhooks.createSubscription(key(), hook).getData();
        webhooks.disableSubscription(subscription.getId(), key());
        ErrorError refusal = null;
        try {
            orders.createOrder(key(), order("\u3000"));
        } catch (ApiException error) {
            refusal = client.getObjectMapper().readValue(error.getResponseBody(), org.openapitools.client.model.Error.class).getError();
        }

        System.out.printf(
            "{\"label\":\"%s\",\"pdf\":\"%s\",\"status\":\"%s\",\"tracking\":\"%s\",\"listed\":%b,\"secret\":%b,\"refusal\":\"%s\",\"fields\":[\"%s\"]}%n",
            label.getId(), pdf.substring(0, 5), voided.getStatus(), tracking.getStatus(),
            page.getData().get(0).getId().equals(label.getId()), subscription.getSecret().startsWith("whsec_"),
            refusal.getCode(), refusal.getFields().get(0).getPath());
    }
}

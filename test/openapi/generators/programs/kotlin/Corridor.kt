// From an order to a voided label with the client that openapi-generator makes for Kotlin.
import java.util.UUID
import org.openapitools.client.apis.*
import org.openapitools.client.infrastructure.*
import org.openapitools.client.models.*
import org.openapitools.client.models.Error as ApiError

val url: String = System.getenv("SHIPPING_URL")
val parcel = ParcelInput(1.25, 30.0, 20.0, 10.0)

fun key() = UUID.randomUUID().toString()

fun address(name: String) = AddressInput(name, "Königsallee 1", "Düsseldorf", "40212", "DE")

fun main() {
    ApiClient.accessToken = System.getenv("SHIPPING_KEY")
    val orders = OrdersApi(url)
    val labels = LabelsApi(url)
    val webhooks = WebhooksApi(url)

    val input = OrderInput("PO-1", address("Zoë"), address("山田"), parcel, metadata = mapOf("n" to listOf(1)))
    val order = orders.createOrder(key(), input).data
    val packed = ShipmentInput("PO-1", address("Zoë"), address("山田"), parcel, orderId = order.id)
    val shipment = ShipmentsApi(url).createShipment(key(), packed).data
    val rate = RatesApi(url).quoteRates(key(), RateInput(shipment.id)).data.first()
    val label = labels.createLabel(key(), LabelInput(shipment.id, rate.id)).data
    val file = labels.getLabelFile(label.id)
    val voided = labels.voidLabel(label.id, key(), mapOf<String, Any>()).data
    val tracking = TrackingApi(url).getTracking(label.trackingNumber).data
    val page = labels.listLabels(1, null)
    val hook = WebhookInput(events = listOf(WebhookInput.Events.labelPeriodCreated), url = "https://hooks.example.com/labels")
    val subscription = webhooks.createSubscription(key(), hook).data
    webhooks.disableSubscription(subscription.id, key())
    val refusal = try {
        orders.createOrder(key(), input.copy(to = address("\u3000")))
        throw IllegalStateException("The order was not refused.")
    } catch (error: ClientException) {
        val body = (error.response as ClientError<*>).body as String
        Serializer.moshi.adapter(ApiError::class.java).fromJson(body)!!.error
    }

    val played = mapOf(
        "label" to label.id, "pdf" to file.readText().take(5), "status" to voided.status, "tracking" to tracking.status,
        "listed" to (page.data[0].id == label.id), "secret" to subscription.secret.startsWith("whsec_"),
        "refusal" to refusal.code, "fields" to refusal.fields!!.map { it.path },
    )
    println(Serializer.moshi.adapter(Any::class.java).toJson(played))
}

// From an order to a voided label with the client that ogen makes.
package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"io"
	"os"
	"strings"

	api "corridor/client"
)

type key struct{}

func (key) ApiKey(context.Context, api.OperationName) (api.ApiKey, error) {
	return api.ApiKey{Token: os.Getenv("SHIPPING_KEY")}, nil
}

func got[Answer any](answer any, err error) Answer {
	if err != nil {
		panic(err)
	}
	return answer.(Answer)
}

func address(name string) api.AddressInput {
	return api.AddressInput{Name: name, Street1: "Königsallee 1", City: "Düsseldorf", PostalCode: "40212", Country: "DE"}
}

func main() {
	client, _ := api.NewClient(os.Getenv("SHIPPING_URL"), key{})
	ctx := context.Background()
	parcel := api.ParcelInput{WeightKg: 1.25, LengthCm: 30, WidthCm: 20, HeightCm: 10}

	orderInput := &api.OrderInput{Reference: "PO-1", From: address("Zoë"), To: address("山田"), Parcel: parcel, Metadata: api.NewOptMetadataInput(api.MetadataInput{"n": []byte("[1]")})}
	order := got[*api.OrderResponseHeaders](client.CreateOrder(ctx, orderInput, api.CreateOrderParams{IdempotencyKey: rand.Text()})).Response.Data
	shipmentInput := &api.ShipmentInput{Reference: "PO-1", From: address("Zoë"), To: address("山田"), Parcel: parcel, OrderID: api.NewOptString(order.ID)}
	shipment := got[*api.ShipmentResponseHeaders](client.CreateShipment(ctx, shipmentInput, api.CreateShipmentParams{IdempotencyKey: rand.Text()})).Response.Data
	rate := got[*api.RateListResponseHeaders](client.QuoteRates(ctx, &api.RateInput{ShipmentID: shipment.ID}, api.QuoteRatesParams{IdempotencyKey: rand.Text()})).Response.Data[0]
	labelInput := &api.LabelInput{ShipmentID: shipment.ID, RateID: rate.ID}
	label := got[*api.LabelResponseHeaders](client.CreateLabel(ctx, labelInput, api.CreateLabelParams{IdempotencyKey: rand.Text()})).Response.Data
	file := got[*api.GetLabelFileOKHeaders](client.GetLabelFile(ctx, api.GetLabelFileParams{ID: label.ID})).Response
	pdf, _ := io.ReadAll(file)
	voided := got[*api.LabelResponseHeaders](client.VoidLabel(ctx, &api.VoidInput{}, api.VoidLabelParams{ID: label.ID, IdempotencyKey: rand.Text()})).Response.Data
	tracking := got[*api.TrackingResponseHeaders](client.GetTracking(ctx, api.GetTrackingParams{TrackingNumber: label.TrackingNumber})).Response.Data
	page := got[*api.LabelListResponseHeaders](client.ListLabels(ctx, api.ListLabelsParams{Limit: api.NewOptInt(1)})).Response
	webhookInput := &api.WebhookInput{URL: "https://hooks.example.com/labels", Events: []api.WebhookInputEventsItem{"label.created"}}
	subscription := got[*api.CreatedWebhookResponseHeaders](client.CreateSubscription(ctx, webhookInput, api.CreateSubscriptionParams{IdempotencyKey: rand.Text()})).Response.Data
	got[*api.DisableSubscriptionOKHeaders](client.DisableSubscription(ctx, api.DisableSubscriptionParams{ID: subscription.ID, IdempotencyKey: rand.Text()}))
	orderInput.To = address("\u3000")
	refusal := got[*api.CreateOrderUnprocessableEntity](client.CreateOrder(ctx, orderInput, api.CreateOrderParams{IdempotencyKey: rand.Text()})).Response.Error

	json.NewEncoder(os.Stdout).Encode(map[string]any{
		"label": label.ID, "pdf": string(pdf[:5]), "status": voided.Status, "tracking": tracking.Status,
		"listed": page.Data[0].ID == label.ID, "secret": strings.HasPrefix(subscription.Secret, "whsec_"),
		"refusal": refusal.Code, "fields": []string{refusal.Fields[0].Path},
	})
}

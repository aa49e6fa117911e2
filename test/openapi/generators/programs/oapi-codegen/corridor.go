// From an order to a voided label with the client that oapi-codegen makes.
package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"net/http"
	"os"
	"strings"

	api "corridor/client"
)

func got[Answer any](answer Answer, err error) Answer {
	if err != nil {
		panic(err)
	}
	return answer
}

func address(name string) api.AddressInput {
	return api.AddressInput{Name: name, Street1: "Königsallee 1", City: "Düsseldorf", PostalCode: "40212", Country: "DE"}
}

func main() {
	authorize := api.WithRequestEditorFn(func(_ context.Context, request *http.Request) error {
		request.Header.Set("Authorization", "Bearer "+os.Getenv("SHIPPING_KEY"))
		return nil
	})
	client := got(api.NewClientWithResponses(os.Getenv("SHIPPING_URL"), authorize))
	ctx := context.Background()
	parcel := api.ParcelInput{WeightKg: 1.25, LengthCm: 30, WidthCm: 20, HeightCm: 10}

	orderInput := api.OrderInput{Reference: "PO-1", From: address("Zoë"), To: address("山田"), Parcel: parcel, Metadata: &api.MetadataInput{"n": []int{1}}}
	order := got(client.CreateOrderWithResponse(ctx, &api.CreateOrderParams{IdempotencyKey: rand.Text()}, orderInput)).JSON201.Data
	shipmentInput := api.ShipmentInput{Reference: "PO-1", From: address("Zoë"), To: address("山田"), Parcel: parcel, OrderId: &order.Id}
	shipment := got(client.CreateShipmentWithResponse(ctx, &api.CreateShipmentParams{IdempotencyKey: rand.Text()}, shipmentInput)).JSON201.Data
	rate := got(client.QuoteRatesWithResponse(ctx, &api.QuoteRatesParams{IdempotencyKey: rand.Text()}, api.RateInput{ShipmentId: shipment.Id})).JSON200.Data[0]
	labelInput := api.LabelInput{ShipmentId: shipment.Id, RateId: rate.Id}
	label := got(client.CreateLabelWithResponse(ctx, &api.CreateLabelParams{IdempotencyKey: rand.Text()}, labelInput)).JSON201.Data
	pdf := got(client.GetLabelFileWithResponse(ctx, label.Id)).Body
	voided := got(client.VoidLabelWithResponse(ctx, label.Id, &api.VoidLabelParams{IdempotencyKey: rand.Text()}, api.VoidInput{})).JSON200.Data
	tracking := got(client.GetTrackingWithResponse(ctx, label.TrackingNumber)).JSON200.Data
	limit := 1
	page := got(client.ListLabelsWithResponse(ctx, &api.ListLabelsParams{Limit: &limit})).JSON200
	webhookInput := api.WebhookInput{Url: "https://hooks.example.com/labels", Events: []api.WebhookInputEvents{"label.created"}}
	subscription := got(client.CreateSubscriptionWithResponse(ctx, &api.CreateSubscriptionParams{IdempotencyKey: rand.Text()}, webhookInput)).JSON201.Data
	got(client.DisableSubscriptionWithResponse(ctx, subscription.Id, &api.DisableSubscriptionParams{IdempotencyKey: rand.Text()}))
	orderInput.To = address("\u3000")
	refusal := got(client.CreateOrderWithResponse(ctx, &api.CreateOrderParams{IdempotencyKey: rand.Text()}, orderInput)).JSON422.Error

	json.NewEncoder(os.Stdout).Encode(map[string]any{
		"label": label.Id, "pdf": string(pdf[:5]), "status": voided.Status, "tracking": tracking.Status,
		"listed": page.Data[0].Id == label.Id, "secret": strings.HasPrefix(subscription.Secret, "whsec_"),
		"refusal": refusal.Code, "fields": []string{(*refusal.Fields)[0].Path},
	})
}

// From an order to a voided label with the client that openapi-generator makes for Go.
package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"strings"

	api "corridor/client"
)

func got[Answer any](answer Answer, _ *http.Response, err error) Answer {
	if err != nil {
		panic(err)
	}
	return answer
}

func address(name string) api.AddressInput {
	return *api.NewAddressInput(name, "Königsallee 1", "Düsseldorf", "40212", "DE")
}

func main() {
	settings := api.NewConfiguration()
	settings.Servers = api.ServerConfigurations{{URL: os.Getenv("SHIPPING_URL")}}
	client := api.NewAPIClient(settings)
	ctx := context.WithValue(context.Background(), api.ContextAccessToken, os.Getenv("SHIPPING_KEY"))
	orders, labels, webhooks := client.OrdersAPI, client.LabelsAPI, client.WebhooksAPI
	parcel := *api.NewParcelInput(1.25, 30, 20, 10)

	orderInput := api.NewOrderInput("PO-1", address("Zoë"), address("山田"), parcel)
	orderInput.SetMetadata(map[string]any{"n": []int{1}})
	order := got(orders.CreateOrder(ctx).IdempotencyKey(rand.Text()).OrderInput(*orderInput).Execute()).Data
	shipmentInput := api.NewShipmentInput("PO-1", address("Zoë"), address("山田"), parcel)
	shipmentInput.SetOrderId(order.Id)
	shipment := got(client.ShipmentsAPI.CreateShipment(ctx).IdempotencyKey(rand.Text()).ShipmentInput(*shipmentInput).Execute()).Data
	rate := got(client.RatesAPI.QuoteRates(ctx).IdempotencyKey(rand.Text()).RateInput(*api.NewRateInput(shipment.Id)).Execute()).Data[0]
	label := got(labels.CreateLabel(ctx).IdempotencyKey(rand.Text()).LabelInput(*api.NewLabelInput(shipment.Id, rate.Id)).Execute()).Data
	file := got(labels.GetLabelFile(ctx, label.Id).Execute())
	pdf, _ := io.ReadAll(file)
	voided := got(labels.VoidLabel(ctx, label.Id).IdempotencyKey(rand.Text()).Body(map[string]any{}).Execute()).Data
	tracking := got(client.TrackingAPI.GetTracking(ctx, label.TrackingNumber).Execute()).Data
	page := got(labels.ListLabels(ctx).Limit(1).Execute())
	webhookInput := *api.NewWebhookInput("https://hooks.example.com/labels", []string{"label.created"})
	subscription := got(webhooks.CreateSubscription(ctx).IdempotencyKey(rand.Text()).WebhookInput(webhookInput).Execute()).Data
	got(webhooks.DisableSubscription(ctx, subscription.Id).IdempotencyKey(rand.Text()).Execute())
	orderInput.SetTo(address("\u3000"))
	_, _, err := orders.CreateOrder(ctx).IdempotencyKey(rand.Text()).OrderInput(*orderInput).Execute()
	var refused *api.GenericOpenAPIError
	errors.As(err, &refused)
	refusal := refused.Model().(api.Error).Error

	json.NewEncoder(os.Stdout).Encode(map[string]any{
		"label": label.Id, "pdf": string(pdf[:5]), "status": voided.Status, "tracking": tracking.Status,
		"listed": page.Data[0].Id == label.Id, "secret": strings.HasPrefix(subscription.Secret, "whsec_"),
		"refusal": refusal.Code, "fields": []string{refusal.Fields[0].Path},
	})
}

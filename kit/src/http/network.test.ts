import { limitedNetworks } from "./network.js";

test.each([
  ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64", "2001:db8:1::/48"],
  ["2001:0DB8:0001:2::6", "2001:db8:1:2::/64", "2001:db8:1::/48"],
  ["2001:db8::6", "2001:db8:0:0::/64", "2001:db8:0::/48"],
  ["2001:db8::2:3:4:5:6", "2001:db8:0:2::/64", "2001:db8:0::/48"],
  ["::1", "0:0:0:0::/64", "0:0:0::/48"],
])("%s is limited with its /64, %s, and with its /48, %s, to twice as much", (address, client, site) => {
  const networks = [client, site].map((network, index) => ({ network, most: 60 * (index + 1) }));
  expect(limitedNetworks(address, 60)).toEqual(networks);
});

test("an IPv4 address is limited alone", () => {
  expect(limitedNetworks("192.0.2.1", 60)).toEqual([{ network: "192.0.2.1", most: 60 }]);
});

import { limitedNetworks, toNetwork } from "./network.js";

test.each([
  ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
  ["2001:0DB8:0001:2::6", "2001:db8:1:2::/64"],
  ["2001:db8::6", "2001:db8:0:0::/64"],
  ["::1", "0:0:0:0::/64"],
  ["192.0.2.1", "192.0.2.1"],
])("%s is in the network %s", (address, network) => {
  expect(toNetwork(address)).toBe(network);
});

test("an IPv6 address is limited with its /64, and with its /48 to twice as much; an IPv4 address alone", () => {
  expect(limitedNetworks("2001:db8:1:2::6", 60)).toEqual([
    { network: "2001:db8:1:2::/64", most: 60 },
    { network: "2001:db8:1::/48", most: 120 },
  ]);
  expect(limitedNetworks("192.0.2.1", 60)).toEqual([{ network: "192.0.2.1", most: 60 }]);
});

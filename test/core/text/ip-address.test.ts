import { isLoopbackHost, networkKeyOf } from '../../../src/core/text/ip-address.ts';

test.each([
  ['192.0.2.7', '192.0.2.7'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:0DB8:0001:0002::1', '2001:db8:1:2::/64'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['::', '0:0:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['2001:db8:1:2:3:4:5::', '2001:db8:1:2::/64'],
  ['', ''],
])('the network of %s is %s', (address, network) => expect(networkKeyOf(address)).toBe(network));

test.each(['localhost', 'LocalHost', '127.0.0.1', '127.255.0.9', '::1', '[::1]', '::ffff:127.0.0.1'])(
  '%s is a loopback host',
  (host) => expect(isLoopbackHost(host)).toBe(true),
);

test.each(['', 'localhost.example', '127.0.0.1.example', '0.0.0.0', '128.0.0.1', '::2', '10.0.0.1'])(
  '"%s" is not a loopback host',
  (host) => expect(isLoopbackHost(host)).toBe(false),
);

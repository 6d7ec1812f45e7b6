import { isLoopbackHost } from '../../../src/core/text/host.ts';

test.each(['localhost', 'LocalHost', '127.0.0.1', '127.255.0.9', '::1', '[::1]', '::ffff:127.0.0.1'])(
  '%s is a loopback host',
  (host) => expect(isLoopbackHost(host)).toBe(true),
);

test.each(['', 'localhost.example', '127.0.0.1.example', '0.0.0.0', '128.0.0.1', '::2', '10.0.0.1'])(
  '"%s" is not a loopback host',
  (host) => expect(isLoopbackHost(host)).toBe(false),
);

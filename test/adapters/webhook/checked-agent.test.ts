import type { LookupFunction } from 'node:net';
import { createAddressRules, createCheckedAgent } from '../../../src/adapters/webhook/address-rules.ts';

describe('rules of addresses without a prefix length', () => {
  const rules = createAddressRules(['127.0.0.1', '::1']);

  test.each(['127.0.0.1', '::1'])('%s is a network of one address', (address) => {
    expect(rules.refusalOf(address, 'http:')).toBeUndefined();
  });

  test.each(['127.0.0.2', '::2', 'fe80::1%eth0', 'name.example'])(
    '%s is in none of the networks',
    (address) => {
      expect(rules.refusalOf(address, 'http:')).toMatch(/^is not allowed/);
    },
  );

  test('host names are allowed without TLS only if a network is configured', () => {
    expect(rules.refusalOfName('http:')).toBeUndefined();
    expect(createAddressRules([]).refusalOfName('https:')).toBeUndefined();
    expect(createAddressRules([]).refusalOfName('http:')).toBe(
      'is not in WEBHOOK_NETWORKS, so it needs https',
    );
  });
});

describe('the look-up of an agent', () => {
  const lookUp = (addresses: readonly string[], returnsAll: boolean): Promise<readonly unknown[]> => {
    const agent = createCheckedAgent('http:', createAddressRules(['10.0.0.0/8']), async () =>
      addresses.map((address) => ({ address, family: 4 })),
    );
    // Node.js passes this option to each connection of the agent.
    const { lookup } = (agent as unknown as { options: { lookup: LookupFunction } }).options;
    return new Promise((resolve, reject) =>
      lookup('name.example', { all: returnsAll }, (error, ...lookupResults) =>
        error ? reject(error) : resolve(lookupResults),
      ),
    );
  };

  test('returns all addresses if asked for all, else the first', async () => {
    expect(await lookUp(['10.0.0.1', '10.0.0.2'], true)).toEqual([
      [
        { address: '10.0.0.1', family: 4 },
        { address: '10.0.0.2', family: 4 },
      ],
    ]);
    expect(await lookUp(['10.0.0.1', '10.0.0.2'], false)).toEqual(['10.0.0.1', 4]);
  });

  test('refuses a name without an address, and one with an address that is not allowed', async () => {
    await expect(lookUp([], false)).rejects.toThrow('the name cannot be resolved');
    await expect(lookUp(['10.0.0.1', '127.0.0.1'], true)).rejects.toThrow(
      'the name leads to 127.0.0.1, which is not allowed: loopback',
    );
  });
});

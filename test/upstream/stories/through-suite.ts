import type { Suite } from '../../event/stores.ts';
import { startThrough, type Through } from './through.ts';

export function describeThrough(name: string, suite: Suite): void {
  describe(`${name}, in front of a service`, () => {
    const open: Through[] = [];
    afterEach(async () => {
      for (const gateway of open.splice(0)) await gateway.close();
    });
    suite(async (replacements) => {
      const gateway = await startThrough(replacements);
      open.push(gateway);
      return gateway;
    });
  });
}

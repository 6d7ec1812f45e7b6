import { setTimeout as pause } from 'node:timers/promises';
import { startGatewayProcess, type GatewayProcess } from '../../gateway-process.ts';
import { describeWithPostgres, startPostgres, type PostgresServer } from '../../postgres-server.ts';
import { startWriters } from './write-load.ts';

describeWithPostgres('with two gateways under load', () => {
  let server: PostgresServer;
  let gateways: GatewayProcess[] = [];
  beforeEach(async () => {
    server = await startPostgres();
    gateways = await Promise.all([0, 1].map(() => startGatewayProcess({ DATABASE_URL: server.url })));
  }, 60_000);
  afterEach(async () => {
    for (const gateway of gateways) await gateway.kill();
    await server?.remove();
  }, 60_000);

  const until = async (holds: () => boolean): Promise<void> => {
    const end = Date.now() + 30_000;
    while (!holds() && Date.now() < end) await pause(20);
    expect(holds()).toBe(true);
  };

  test('a gateway killed with -9 five times loses no acknowledged write and leaves none half applied', async () => {
    const writers = await startWriters(() => gateways);
    for (let round = 0; round < 5; round += 1) {
      const before = writers.acknowledged();
      await until(() => writers.acknowledged() > before + 40);
      const index = round % 2;
      await gateways[index]?.kill();
      gateways[index] = await startGatewayProcess({ DATABASE_URL: server.url });
    }
    expect(await writers.verdict()).toEqual([]);
    console.log(`gateway killed 5 times: ${writers.acknowledged()} writes acknowledged, none lost, none half applied`);
  }, 120_000);

  test('PostgreSQL killed with -9 five times loses no acknowledged write, and writes flow again within 5 s of its start', async () => {
    const writers = await startWriters(() => gateways);
    const recoveries: number[] = [];
    for (let round = 0; round < 5; round += 1) {
      const before = writers.acknowledged();
      await until(() => writers.acknowledged() > before + 40);
      await server.kill();
      await server.start();
      const started = Date.now();
      const known = writers.acknowledged();
      await until(() => writers.acknowledged() > known);
      recoveries.push(Date.now() - started);
    }
    expect(await writers.verdict()).toEqual([]);
    expect(Math.max(...recoveries)).toBeLessThan(5000);
    console.log(`PostgreSQL killed 5 times: ${writers.acknowledged()} writes acknowledged, none lost, none half applied; again after ${recoveries.join(', ')} ms`);
  }, 180_000);
});

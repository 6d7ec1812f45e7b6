import { startGateway } from '../harness.ts';
import { followingMany, seed } from './following-many.suite.ts';

followingMany('in memory', async () => {
  const gateway = await startGateway({}, { seed });
  return { gateway, stop: () => gateway.close() };
});

import { openMailing } from './mail-walk.harness.ts';
import { mailReceivers, seed } from './mail-receivers.suite.ts';

mailReceivers(() => openMailing({}, undefined, { seed }));

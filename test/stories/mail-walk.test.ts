import { openMailing } from './mail-walk.harness.ts';
import { mailWalk } from './mail-walk.suite.ts';

mailWalk((mailbox) => openMailing({}, mailbox));

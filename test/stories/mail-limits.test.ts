import { mailLimits } from './mail-limits.suite.ts';
import { openMailing } from './mail-walk.harness.ts';

mailLimits((replacements) => openMailing({}, undefined, replacements));

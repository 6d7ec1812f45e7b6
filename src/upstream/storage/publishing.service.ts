import type { PublishingService } from '../../notification/publishing/publishing.service.ts';
import { notOffered } from '../not-offered.ts';

/** Changes of objects are the official service's own: it sends their messages itself. */
export const upstreamPublishingService: PublishingService = {
  publishObjectChange: notOffered,
  listMessages: notOffered,
  followMessages: notOffered,
};

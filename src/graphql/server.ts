import { ApolloServer } from '@apollo/server';
import { ApolloServerPluginCacheControlDisabled } from '@apollo/server/plugin/disabled';
import { ApolloServerPluginLandingPageDisabled } from '@apollo/server/plugin/disabled';
import { ApolloServerPluginLandingPageLocalDefault } from '@apollo/server/plugin/landingPage/default';
import type { RateLimiter } from '../core/rate-limit.ts';
import type { GatewayContext, Log } from './context.ts';
import { clientError } from './errors.ts';
import type { InputChecks } from './input-errors.ts';
import { fieldLimits } from './limits.ts';
import type { Introspection } from './operation-scopes.ts';
import { admission, answers } from './plugins.ts';
import { reporting } from './report.ts';
import { currentRequestId } from './request-id.ts';
import { sampleOperation } from './sample.ts';
import type { Gateway } from './schema.ts';

export interface ServerSettings {
  readonly introspection: Introspection;
  /** Shows Apollo Sandbox to a browser; with a demo token, it is filled in there. */
  readonly explorer: boolean;
  readonly demoToken?: string;
  /** Leaves out of messages what would tell of the schema. */
  readonly hideSchema: boolean;
  readonly limiter?: RateLimiter;
  /** What resources say of input that does not fit the schema, beside that. */
  readonly inputChecks: InputChecks;
}

/** The GraphQL engine: everything between a parsed HTTP request and its answer. */
export function createServer(gateway: Gateway, settings: ServerSettings): ApolloServer<GatewayContext> {
  return new ApolloServer<GatewayContext>({
    schema: gateway.schema,
    introspection: true, // decided by `admission`, which knows the caller
    csrfPrevention: true,
    includeStacktraceInErrorResponses: false,
    hideSchemaDetailsFromClientErrors: settings.hideSchema,
    stopOnTerminationSignals: false,
    validationRules: [fieldLimits],
    formatError: (formatted, error) =>
      // Errors of running operations get their request's id in `answers`; this is for what fails before.
      'requestId' in (formatted.extensions ?? {}) ? formatted : clientError(error, currentRequestId(), silent),
    plugins: [
      ApolloServerPluginCacheControlDisabled(),
      settings.explorer ? sandbox(settings.demoToken) : ApolloServerPluginLandingPageDisabled(),
      admission(gateway, settings.introspection, settings.limiter),
      answers(gateway.schema, settings.inputChecks),
      reporting(),
    ],
  });
}

/** `answers` logs what it masks; logging it here as well would tell of each error twice. */
const silent: Log = { error: () => undefined };

function sandbox(demoToken: string | undefined) {
  return ApolloServerPluginLandingPageLocalDefault({
    embed: { runTelemetry: false, endpointIsEditable: false },
    footer: false,
    document: sampleOperation.document,
    variables: sampleOperation.variables,
    ...(demoToken && { headers: { authorization: `Bearer ${demoToken}` } }),
  });
}

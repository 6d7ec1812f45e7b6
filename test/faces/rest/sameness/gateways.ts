import { withoutNulls, type EventJson } from '../../../event/event.harness.ts';
import type { Answer } from '../../../harness.ts';
import { collectLog } from '../../../log-lines.ts';
import { trackMemoryJobs } from '../../../random/background-jobs.ts';
import { castSeed } from '../../../random/cast.ts';
import { documentFor } from '../../../random/documents.ts';
import { Placeholders } from '../../../random/placeholders.ts';
import { timeOfStep, type Args } from '../../../random/operation.ts';
import { ResultLog, type Caller } from '../../../random/references.ts';
import { startsBackgroundJob } from '../../../random/worlds.ts';
import { startRest, type RestAnswer, type RestClient, type RestGateway } from '../rest.harness.ts';
import type { Step } from './random-requests.ts';
import { readRestRefusal, officialPath, toRestRefusal, type Refusal } from './refusals.ts';
import {
  bodyArgumentOf,
  toGraphqlArguments,
  isOffered,
  toRestRequest,
  type RestRequest,
} from './requests.ts';
import { restBodies } from './bodies.ts';

/** Caller and scopes of a request; `as: null` sends no token. */
interface CallerOptions {
  readonly as: string | null;
  readonly scopes?: readonly string[];
}

/** Result of an operation through either face, in terms of REST. */
export interface Outcome {
  readonly refusal?: Refusal;
  /** Body of the response; absent if there is none. */
  readonly body?: EventJson;
  readonly warnings?: readonly object[];
  /** GraphQL response to an operation that REST does not offer. */
  readonly unoffered?: { readonly result: EventJson; readonly errors: object[]; readonly warnings: unknown };
}

/** An operation that ran on one gateway, with its notices to guests. */
export interface OperationRun {
  readonly outcome: Outcome;
  readonly caller: Caller;
  readonly args: Args;
  readonly notices: unknown;
}

/** A gateway whose operations all go through one face. */
export interface FaceGateway extends RestGateway {
  readonly placeholders: Placeholders;
  /** Runs an operation; undefined if it refers to a result that does not exist. */
  run(step: Step): Promise<OperationRun | undefined>;
  /** Reads a root field through GraphQL. */
  field(name: string, args: Args, options: CallerOptions): Promise<Answer>;
}

type FieldClient = Pick<FaceGateway, 'field' | 'as'>;
type SendOperation = (gateway: FieldClient, name: string, args: Args, step: Step) => Promise<Outcome>;

async function startFaceGateway(send: SendOperation): Promise<FaceGateway> {
  const [placeholders, references, log] = [new Placeholders(), new ResultLog(), collectLog()];
  const notices: unknown[] = [];
  let currentStep = 0;
  const clock = (): number => timeOfStep(currentStep);
  const { stores, background } = trackMemoryJobs(clock, log);
  const notifier = { notify: (notice: unknown) => void notices.push(notice) };
  const gateway = await startRest(
    {},
    { stores, seed: castSeed, clock, notifier, logTarget: log.logTo, logLevel: 'error' },
  );
  const field: FaceGateway['field'] = (name, args, options) => gateway.ask(documentFor(name), args, options);
  return {
    ...gateway,
    placeholders,
    field,
    async run(step) {
      currentStep = step.step;
      const { as } = step;
      const calendarId = references.resolve({ id: step.args.calendarId }, { as, calendarId: '' })?.id;
      const caller = { as, calendarId: String(calendarId) };
      const args = references.resolve(step.args, caller);
      if (!args) return undefined;
      const outcome = await send({ as: gateway.as, field }, step.name, args, step);
      references.record(
        step.step,
        caller,
        outcome.unoffered ? outcome.unoffered.result : toGraphqlResult(outcome.body),
      );
      if (startsBackgroundJob(step)) await background.waitUntilSettled();
      const sentNotices = notices.splice(0);
      return {
        outcome,
        caller,
        args,
        notices: step.name === 'deleteCalendar' ? placeholders.sortEntries(sentNotices) : sentNotices,
      };
    },
    async close() {
      await background.close();
      await gateway.close();
    },
  };
}

/** Converts a REST page to the GraphQL form, to which later operations refer. */
function toGraphqlResult(body: EventJson): EventJson {
  if (body?.items === undefined) return body;
  const { items, nextPageToken, nextSyncToken } = body;
  return {
    nodes: items,
    pageInfo: { hasNextPage: nextPageToken !== undefined, endCursor: nextPageToken },
    nextSyncToken,
  };
}

const optionsOf = ({ as, scopes }: Step): CallerOptions => ({
  as: scopes?.length === 0 ? null : as,
  ...(scopes && { scopes }),
});

/** Lists message, code and issues of each GraphQL error. */
export const problemsOf = ({ errors = [] }: Pick<Answer, 'errors'>): object[] =>
  errors.map(({ message, extensions: { code, issues } }) => ({ message, code, issues }));

/** Reads a root field through GraphQL and converts the result to the REST body. A page of events includes its calendar. */
export async function readExpectedRestBody(
  { field }: Pick<FaceGateway, 'field'>,
  name: string,
  args: Args,
  options: CallerOptions,
): Promise<{ readonly answer: Answer; readonly body?: EventJson }> {
  const answer = await field(name, args, options);
  if (answer.errors) return { answer };
  const { calendarId } = args;
  const calendar = /^(events|instances)$/.test(name) && (await field('calendar', { calendarId }, options));
  return {
    answer,
    body: restBodies.convertOffered(name, args, answer.data.result, calendar && calendar.data.result),
  };
}

/** Sends an operation that REST does not offer through GraphQL. */
async function sendUnoffered({ field }: FieldClient, name: string, args: Args, step: Step): Promise<Outcome> {
  const answer = await field(name, toGraphqlArguments(name, args), optionsOf(step));
  const result = restBodies.convertUnoffered(answer.data?.result);
  const { warnings } = answer;
  return { unoffered: { result, errors: problemsOf(answer), warnings } };
}

const sendThroughGraphql: SendOperation = async (gateway, name, args, step) => {
  if (name === 'replaceEvent') return sendThroughGraphql(gateway, 'patchEvent', args, step);
  if (!isOffered(name, args)) return sendUnoffered(gateway, name, args, step);
  const options = optionsOf(step);
  const wasCancelled =
    name === 'deleteEvent' &&
    (await gateway.field('event', args, options)).data?.result?.status === 'cancelled';
  const { answer, body } = await readExpectedRestBody(gateway, name, toGraphqlArguments(name, args), options);
  if (answer.errors)
    return { refusal: toRestRefusal(name, toRestRequest(name, args).line, answer, step.invalidArgument) };
  if (wasCancelled) return { refusal: { status: 410, faults: [{ domain: 'global', reason: 'deleted' }] } };
  const warnings = (answer.warnings ?? []).map(({ path, reason, message }) => ({
    path: path[0] === bodyArgumentOf(name) ? officialPath(path.slice(1)) : path,
    reason,
    message,
  }));
  return { ...(body !== undefined && { body }), warnings };
};

const sendThroughRest: SendOperation = async (gateway, name, args, step) => {
  if (name !== 'replaceEvent' && !isOffered(name, args)) return sendUnoffered(gateway, name, args, step);
  const { as, scopes } = optionsOf(step);
  const client = gateway.as(as, scopes);
  const request = name === 'replaceEvent' ? await buildReplacement(client, args) : toRestRequest(name, args);
  const answer = await client.withHeaders(request.headers ?? {}).send(request.line, request.body);
  return readOutcome(answer, step.invalidArgument);
};

/** Builds a PUT of the event as read, with changes. An event without times is patched: PUT requires them. */
async function buildReplacement(client: RestClient, args: Args): Promise<RestRequest> {
  const patch = toRestRequest('patchEvent', args);
  const { calendarId, eventId } = args;
  const event = await client.json(toRestRequest('event', { calendarId, eventId }).line);
  if (event?.start === undefined || event.end === undefined) return patch;
  const body = withoutNulls({ ...event, ...(args.event as object) });
  return { ...patch, line: patch.line.replace('PATCH', 'PUT'), body };
}

function readOutcome(answer: RestAnswer, invalidArgument: string | undefined): Outcome {
  const { status, json, headers } = answer;
  if (status >= 400) return { refusal: readRestRefusal(answer, invalidArgument) };
  expect([json?.etag, status]).toEqual([headers.etag, json === undefined ? 204 : 200]);
  const warnings = JSON.parse(headers['x-warnings'] ?? '[]') as { reason: string }[];
  return {
    ...(json !== undefined && { body: json }),
    warnings: warnings.filter(({ reason }) => reason !== 'unknownField'),
  };
}

export const startGraphqlGateway = (): Promise<FaceGateway> => startFaceGateway(sendThroughGraphql);
export const startRestGateway = (): Promise<FaceGateway> => startFaceGateway(sendThroughRest);

import { withoutNulls, type Shown } from '../../../event/event.harness.ts';
import type { Answer } from '../../../harness.ts';
import { collectLog } from '../../../log-lines.ts';
import { memoryWithBackground } from '../../../random/background.ts';
import { seed } from '../../../random/cast.ts';
import { documentOf } from '../../../random/documents.ts';
import { Names } from '../../../random/names.ts';
import { timeOf, type Args } from '../../../random/operation.ts';
import { Answered, type Seat } from '../../../random/references.ts';
import { leavesWork } from '../../../random/worlds.ts';
import { startRest, type RestAnswer, type RestClient, type RestGateway } from '../rest.harness.ts';
import type { Step } from './operations.ts';
import { given, inBody, owed, type Refusal } from './refusals.ts';
import { bodyOf, graphqlArguments, isOffered, restRequest, type RestRequest } from './requests.ts';
import { bodiesOf } from './bodies.ts';

interface Options {
  readonly as: string | null;
  readonly scopes?: readonly string[];
}

/** What a face made of an operation, as REST tells it. */
export interface Outcome {
  readonly refusal?: Refusal;
  /** Absent where nothing is told. */
  readonly body?: Shown;
  readonly warnings?: readonly object[];
  /** An answer of GraphQL, where REST does not offer the operation. */
  readonly beside?: { readonly result: Shown; readonly errors: object[]; readonly warnings: unknown };
}

export interface Drive {
  readonly outcome: Outcome;
  readonly seat: Seat;
  readonly args: Args;
  readonly notices: unknown;
}

/** A gateway that is driven through one of its faces. */
export interface Driven extends RestGateway {
  readonly names: Names;
  /** Sends an operation. Undefined where it refers to what was never answered. */
  drive(step: Step): Promise<Drive | undefined>;
  /** Asks for a root field through GraphQL. */
  field(name: string, args: Args, options: Options): Promise<Answer>;
}

type Asked = Pick<Driven, 'field' | 'as'>;
type Send = (gateway: Asked, name: string, args: Args, step: Step) => Promise<Outcome>;

async function start(send: Send): Promise<Driven> {
  const [names, answered, log] = [new Names(), new Answered(), collectLog()];
  const notices: unknown[] = [];
  let now = 0;
  const clock = (): number => timeOf(now);
  const { stores, background } = memoryWithBackground(clock, log);
  const notifier = { notify: (notice: unknown) => void notices.push(notice) };
  const gateway = await startRest({}, { stores, seed, clock, notifier, logTo: log.logTo, logLevel: 'error' });
  const field: Driven['field'] = (name, args, options) => gateway.ask(documentOf(name), args, options);
  return {
    ...gateway,
    names,
    field,
    async drive(step) {
      now = step.step;
      const { as } = step;
      const calendarId = answered.resolve({ id: step.args.calendarId }, { as, calendarId: '' })?.id;
      const seat = { as, calendarId: String(calendarId) };
      const args = answered.resolve(step.args, seat);
      if (!args) return undefined;
      const outcome = await send({ as: gateway.as, field }, step.name, args, step);
      answered.keep(step.step, seat, outcome.beside ? outcome.beside.result : kept(outcome.body));
      if (leavesWork(step)) await background.settled();
      const told = notices.splice(0);
      return { outcome, seat, args, notices: step.name === 'deleteCalendar' ? names.sorted(told) : told };
    },
    async close() {
      await background.close();
      await gateway.close();
    },
  };
}

/** What later operations refer to: a page as GraphQL tells it. */
function kept(body: Shown): Shown {
  if (body?.items === undefined) return body;
  const { items, nextPageToken, nextSyncToken } = body;
  return {
    nodes: items,
    pageInfo: { hasNextPage: nextPageToken !== undefined, endCursor: nextPageToken },
    nextSyncToken,
  };
}

const optionsOf = ({ as, scopes }: Step): Options => ({
  as: scopes?.length === 0 ? null : as,
  ...(scopes && { scopes }),
});

export const problemsOf = ({ errors = [] }: Pick<Answer, 'errors'>): object[] =>
  errors.map(({ message, extensions: { code, issues } }) => ({ message, code, issues }));

/** Asks for a root field through GraphQL, and works out the body that REST owes. A page of events shows its calendar. */
export async function owedBody(
  { field }: Pick<Driven, 'field'>,
  name: string,
  args: Args,
  options: Options,
): Promise<{ readonly answer: Answer; readonly body?: Shown }> {
  const answer = await field(name, args, options);
  if (answer.errors) return { answer };
  const { calendarId } = args;
  const calendar = /^(events|instances)$/.test(name) && (await field('calendar', { calendarId }, options));
  return {
    answer,
    body: bodiesOf.answered(name, args, answer.data.result, calendar && calendar.data.result),
  };
}

/** Operations that REST does not offer are sent to both through GraphQL, in the same names. */
async function beside({ field }: Asked, name: string, args: Args, step: Step): Promise<Outcome> {
  const answer = await field(name, graphqlArguments(name, args), optionsOf(step));
  const result = bodiesOf.unoffered(answer.data?.result);
  const { warnings } = answer;
  return { beside: { result, errors: problemsOf(answer), warnings } };
}

const throughGraphql: Send = async (gateway, name, args, step) => {
  if (name === 'replaceEvent') return throughGraphql(gateway, 'patchEvent', args, step);
  if (!isOffered(name, args)) return beside(gateway, name, args, step);
  const options = optionsOf(step);
  const wasCancelled =
    name === 'deleteEvent' &&
    (await gateway.field('event', args, options)).data?.result?.status === 'cancelled';
  const { answer, body } = await owedBody(gateway, name, graphqlArguments(name, args), options);
  if (answer.errors) return { refusal: owed(name, restRequest(name, args).line, answer, step.broken) };
  if (wasCancelled) return { refusal: { status: 410, faults: [{ domain: 'global', reason: 'deleted' }] } };
  const warnings = (answer.warnings ?? []).map(({ path, reason, message }) => ({
    path: path[0] === bodyOf(name) ? inBody(path.slice(1)) : path,
    reason,
    message,
  }));
  return { ...(body !== undefined && { body }), warnings };
};

const throughRest: Send = async (gateway, name, args, step) => {
  if (name !== 'replaceEvent' && !isOffered(name, args)) return beside(gateway, name, args, step);
  const { as, scopes } = optionsOf(step);
  const client = gateway.as(as, scopes);
  const request = name === 'replaceEvent' ? await replacement(client, args) : restRequest(name, args);
  const answer = await client.withHeaders(request.headers ?? {}).send(request.line, request.body);
  return outcomeOf(answer, step.broken);
};

/** What is read is put back, changed. Where it shows no times it is patched: PUT needs them. */
async function replacement(client: RestClient, args: Args): Promise<RestRequest> {
  const patch = restRequest('patchEvent', args);
  const { calendarId, eventId } = args;
  const read = await client.json(restRequest('event', { calendarId, eventId }).line);
  if (read?.start === undefined || read.end === undefined) return patch;
  const body = withoutNulls({ ...read, ...(args.event as object) });
  return { ...patch, line: patch.line.replace('PATCH', 'PUT'), body };
}

function outcomeOf(answer: RestAnswer, broken: string | undefined): Outcome {
  const { status, json, headers } = answer;
  if (status >= 400) return { refusal: given(answer, broken) };
  expect([json?.etag, status]).toEqual([headers.etag, json === undefined ? 204 : 200]);
  const warnings = JSON.parse(headers['x-warnings'] ?? '[]') as { reason: string }[];
  return {
    ...(json !== undefined && { body: json }),
    warnings: warnings.filter(({ reason }) => reason !== 'unknownField'),
  };
}

export const drivenThroughGraphql = (): Promise<Driven> => start(throughGraphql);
export const drivenThroughRest = (): Promise<Driven> => start(throughRest);

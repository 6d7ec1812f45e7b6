const url = process.env.GATEWAY_URL ?? 'http://127.0.0.1:4000';
const ask = async (path, query, more) => {
  const answer = await fetch(url + path, {
    method: 'POST',
    body: JSON.stringify({ query }),
    headers: { authorization: `Bearer ${process.env.TOKEN}`, 'content-type': 'application/json', ...more },
  });
  if (answer.ok && path === '/graphql/stream') return answer.body;
  const { data, errors } = await answer
    .json()
    .catch(() => ({ errors: [{ message: `HTTP ${answer.status}` }] }));
  return errors ? Promise.reject(new Error(errors[0].message)) : data;
};
const list = async (args) =>
  (
    await ask(
      '/graphql',
      `{ events(calendarId: "primary", singleEvents: true, ${args}) { nodes { id status summary start { date dateTime } } nextSyncToken } }`,
    )
  ).events;
const now = new Date();
const day = (afterMonday) =>
  new Date(
    now.getFullYear(),
    now.getMonth(),
    now.getDate() - ((now.getDay() + 6) % 7) + afterMonday,
  ).toISOString();
const week = await list(`timeMin: "${day(0)}", timeMax: "${day(7)}", orderBy: startTime`);
for (const { start, summary } of week.nodes) console.log(start.dateTime ?? start.date, summary);
const changes = await ask(
  '/graphql/stream',
  'subscription { calendarChanged(calendarId: "primary") { changedAt } }',
  { 'last-event-id': week.nextSyncToken },
);
const { id: eventId, summary } = week.nodes.find(({ id }) => id.startsWith('standup_'));
await ask(
  '/graphql',
  `mutation { patchEvent(calendarId: "primary", eventId: "${eventId}", event: { summary: "${summary === 'Stand-up' ? 'Stand-up with cake' : 'Stand-up'}" }) { id } }`,
);
for await (const part of changes.pipeThrough(new TextDecoderStream())) {
  if (!part.includes('event: next')) continue;
  for (const { id, status, summary } of (await list(`syncToken: "${week.nextSyncToken}"`)).nodes)
    console.log(id, status, summary);
  break; // a real view keeps the new nextSyncToken, and goes on
}

import { hour, startEvents, type EventGateway } from './event-http.harness.ts';

const popup = (minutes: number) => ({ method: 'popup', minutes });
const at = (path: string, reason: string): string => `BAD_USER_INPUT event.reminders.${path} ${reason}`;
const exceeds = at('overrides', 'eventRemindersCountExceedsLimit');
const both = at('useDefault', 'cannotUseDefaultRemindersAndSpecifyOverride');
const five = [0, 1, 10, 60, 40320].map(popup);

describe('reminders', () => {
  let gateway: EventGateway;
  beforeAll(async () => {
    gateway = await startEvents();
  });
  afterAll(() => gateway.close());

  const withReminders = async (reminders: object): Promise<string> => (await gateway.insert({ ...hour, reminders })).event.id;

  test.each<[string, object]>([
    ['none', { overrides: [] }],
    ['0 minutes', { overrides: [popup(0)] }],
    ['40320 minutes, which is 4 weeks', { overrides: [popup(40320)] }],
    ['by e-mail', { useDefault: false, overrides: [{ method: 'email', minutes: 10 }] }],
    ['four', { overrides: five.slice(1) }],
    ['five', { overrides: five }],
    ['those of the calendar', { useDefault: true }],
    ['those of the calendar and an empty list', { useDefault: true, overrides: [] }],
  ])('%s: stored', async (_name, reminders) => {
    const inserted = await gateway.insert({ ...hour, reminders });
    expect(inserted.problems).toEqual([]);
    expect(inserted.event.reminders).toMatchObject(reminders);
    const patched = await gateway.patch((await gateway.insert(hour)).event.id, { reminders });
    expect(patched.event.reminders).toEqual(inserted.event.reminders);
  });

  test.each<[string, object, string[]]>([
    ['-1 minutes', { overrides: [popup(-1)] }, [at('overrides.0.minutes', 'invalid')]],
    ['40321 minutes', { overrides: [popup(5), popup(40321)] }, [at('overrides.1.minutes', 'invalid')]],
    ['half a minute', { overrides: [popup(0.5)] }, [at('overrides.0.minutes', 'invalid')]],
    ['no method', { overrides: [{ minutes: 5 }] }, [at('overrides.0.method', 'required')]],
    ['a method of null', { overrides: [{ method: null, minutes: 5 }] }, [at('overrides.0.method', 'required')]],
    ['an unknown method', { overrides: [{ method: 'fax', minutes: 5 }] }, [at('overrides.0.method', 'invalid')]],
    ['no minutes', { overrides: [{ method: 'email' }] }, [at('overrides.0.minutes', 'required')]],
    ['an empty entry', { overrides: [{}] }, [at('overrides.0.method', 'required'), at('overrides.0.minutes', 'required')]],
    ['a list entry of null', { overrides: [null] }, [at('overrides.0', 'required')]],
    ['a text as list', { overrides: 'popup' }, [at('overrides', 'invalid')]],
    ['six', { overrides: [...five, popup(7)] }, [exceeds]],
    ['useDefault with overrides', { useDefault: true, overrides: [popup(5)] }, [both]],
    ['useDefault with six', { useDefault: true, overrides: [...five, popup(7)] }, [exceeds, both]],
  ])('%s: refused', async (_name, reminders, problems) => {
    const { event } = await gateway.insert(hour);
    const before = await gateway.stored(event.id);
    expect((await gateway.patch(event.id, { reminders })).problems).toEqual(problems);
    expect(await gateway.stored(event.id)).toBe(before);
    expect((await gateway.insert({ ...hour, reminders })).problems).toEqual(problems);
  });

  test('what is sent is judged together with what is stored', async () => {
    const custom = await withReminders({ overrides: five });
    expect((await gateway.patch(custom, { reminders: { useDefault: true } })).problems).toEqual([both]);
    const switched = await gateway.patch(custom, { reminders: { useDefault: true, overrides: null } });
    expect(switched.event.reminders).toEqual({ useDefault: true, overrides: null });
    expect((await gateway.patch(custom, { reminders: { overrides: [popup(5)] } })).problems).toEqual([both]);
    const back = await gateway.patch(custom, { reminders: { useDefault: false, overrides: [popup(5)] } });
    expect(back.event.reminders).toEqual({ useDefault: false, overrides: [popup(5)] });
    expect((await gateway.patch(custom, { reminders: null })).event.reminders).toBeNull();
  });

  describe('by text message', () => {
    const sms = (minutes: number) => ({ method: 'sms', minutes });

    test('a new one is ignored with a warning, the others are stored', async () => {
      const reminders = { overrides: [sms(30), popup(5), sms(60)] };
      const ignored = ['event.reminders.overrides.0 ignored', 'event.reminders.overrides.2 ignored'];
      const inserted = await gateway.insert({ ...hour, reminders });
      expect(inserted.notes).toEqual(ignored);
      expect(inserted.event.reminders.overrides).toEqual([popup(5)]);
      const id = await withReminders({ overrides: [popup(10)] });
      const patched = await gateway.patch(id, { reminders });
      expect(patched.notes).toEqual(ignored);
      expect(patched.event.reminders.overrides).toEqual([popup(5)]);
    });

    test('a stored one stays when it is sent again, at other minutes it is a new one', async () => {
      const id = await withReminders({ overrides: [popup(10)] });
      await gateway.disturb(id, {}, { reminders: { overrides: [sms(30)] } });
      const kept = await gateway.patch(id, { reminders: { overrides: [sms(30), popup(5)] } });
      expect(kept.notes).toEqual([]);
      expect(kept.event.reminders.overrides).toEqual([sms(30), popup(5)]);
      const other = await gateway.patch(id, { reminders: { overrides: [sms(31)] } });
      expect(other.notes).toEqual(['event.reminders.overrides.0 ignored']);
      expect(other.event.reminders.overrides).toEqual([]);
    });

    test('an ignored one counts neither as the sixth nor beside useDefault', async () => {
      expect((await gateway.insert({ ...hour, reminders: { overrides: [...five, sms(3)] } })).event.reminders.overrides).toEqual(
        five,
      );
      const { problems } = await gateway.insert({ ...hour, reminders: { useDefault: true, overrides: [sms(3)] } });
      expect(problems).toEqual([]);
    });

    test('an issue behind an ignored one has the path the client sent it at', async () => {
      const { problems } = await gateway.insert({ ...hour, reminders: { overrides: [sms(1), popup(1), sms(2), popup(-1)] } });
      expect(problems).toEqual([at('overrides.3.minutes', 'invalid')]);
    });
  });
});

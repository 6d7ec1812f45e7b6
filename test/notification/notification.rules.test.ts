import { notificationRules } from '../../src/notification/notification.rules.ts';
import { inputPaths, pathsOf, tablePaths } from '../schema/input-paths.ts';

describe('the rules of a notification', () => {
  test('say of every field a client can send who may set it, and of no other', () => {
    expect(Object.keys(notificationRules).sort()).toEqual(inputPaths('NotificationInput').sort());
  });

  test('cover the 10 parameters of the resource', () => {
    const parameters = tablePaths('notification');
    expect(parameters).toHaveLength(10);
    expect(Object.keys(notificationRules).sort()).toEqual(parameters.sort());
  });

  test('leave id, etag, kind and selfLink to the server', () => {
    expect(pathsOf(notificationRules, 'readOnly')).toEqual(['etag', 'id', 'kind', 'selfLink']);
  });
});

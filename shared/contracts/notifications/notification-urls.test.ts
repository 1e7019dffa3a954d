import { expect, it } from 'vitest';
import { refusalsWithin } from '../stated-rules.ts';
import { newNotification, notificationPatch } from './notifications.ts';

it.each([
  ['a new notification', newNotification],
  ['a change of a notification', notificationPatch],
])('the URL of %s is documented to be refused if its scheme is that of another kind', (_, shape) => {
  expect(refusalsWithin(shape)).toHaveProperty('kind-mismatch', expect.stringContaining('mailto:'));
});

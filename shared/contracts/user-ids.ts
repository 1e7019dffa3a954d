import { z } from 'zod';
import { brokenUserIdRule } from '../domain/ids/user-id.ts';
import { refusals } from './stated-rules.ts';

/** User id in a request body: 1 to 256 bytes of UTF-8, without control characters. */
export const userId = z
  .string()
  .superRefine((user, context) => {
    const rule = brokenUserIdRule(user);
    const params = { code: 'invalid-user-id' };
    if (rule !== null) context.addIssue({ code: 'custom', message: `is not a user id: ${rule}`, input: user, params });
  })
  .meta({
    pattern: String.raw`^[^\u0000-\u001F\u007F-\u009F\uD800-\uDFFF]+$`,
    ...refusals({ 'invalid-user-id': 'a user id has more than 256 bytes of UTF-8' }),
  });

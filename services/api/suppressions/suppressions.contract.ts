import { z } from 'zod';
import { rejectedRow } from '../../../shared/contracts/campaigns/audiences.ts';
import { actionTypePattern } from '../../../shared/domain/endpoint/shard.ts';
import { isStorable } from '../../../shared/domain/ids/stored-text.ts';
import { brokenUserIdRule } from '../../../shared/domain/ids/user-id.ts';
import { allActionTypes } from '../../../shared/domain/step/suppressions.ts';

/** HTTP shapes of suppression lists. */
const people = z.int().min(0);
const time = z.iso.datetime({ precision: 3 });

/** Users of one request, at most; more come by an upload. */
export const maxSuppressedAtOnce = 1000;

export const listName = z
  .union([z.literal(allActionTypes), z.string().regex(actionTypePattern)])
  .describe('The action type that it is for; * for all of them');

export const suppressionNote = z
  .string()
  .trim()
  .min(1)
  .max(200)
  .refine(isStorable, 'holds what no note can')
  .describe('Why, for people: shown where a run has left the user out');

export const suppressionList = z
  .object({
    actionType: z.string().describe('* for all of them'),
    people,
    version: z.int().min(1).describe('Moves with every change'),
    changedAt: time,
  })
  .meta({ id: 'SuppressionList' });

export type SuppressionListShape = z.infer<typeof suppressionList>;

const userId = z.string().superRefine((user, context) => {
  const rule = brokenUserIdRule(user);
  if (rule !== null) context.addIssue({ code: 'custom', message: `is no user id: ${rule}`, input: user });
});

export const peopleToSuppress = z
  .strictObject({
    actionType: listName,
    users: z.array(userId).min(1).max(maxSuppressedAtOnce),
    note: suppressionNote.optional(),
  })
  .meta({
    id: 'PeopleToSuppress',
    examples: [{ actionType: 'send-message', users: ['u-1029', 'u-3380'], note: 'asked to by phone' }],
  });

export const suppressedPeople = suppressionList
  .extend({ added: people.describe('Of these users, those that were not on it before') })
  .meta({ id: 'SuppressedPeople' });

export const suppressedUser = z
  .object({
    userId: z.string(),
    lists: z.array(z.object({ actionType: z.string(), note: z.string().nullable(), addedAt: time })),
  })
  .meta({ id: 'SuppressedUser' });

export const uploadModes = ['replace', 'add'] as const;

export type UploadMode = (typeof uploadModes)[number];

export const suppressionUpload = z
  .object({
    id: z.string(),
    actionType: z.string(),
    mode: z.enum(uploadModes),
    state: z
      .enum(['receiving', 'done', 'failed'])
      .describe('failed: of a replacement nothing stays; who was added stays, as many as people says'),
    cause: z.string().nullable().describe('Why it failed'),
    note: z.string().nullable(),
    rows: people.describe('Rows that were read, without header and blank lines'),
    people: people.describe('Added, who were not on it before; of a replacement, all who are on the list with it'),
    rejected: people.describe('Rows that are no user'),
    rejects: z.array(rejectedRow).describe('The first of them'),
    createdAt: time,
    endedAt: time.nullable(),
    links: z.object({ self: z.string() }),
  })
  .meta({ id: 'SuppressionUpload' });

export type SuppressionUploadShape = z.infer<typeof suppressionUpload>;

import { z } from 'zod';
import { rejectedRow } from '../../../../shared/contracts/campaigns/uploaded-audiences.ts';
import { actionTypePattern } from '../../../../shared/domain/endpoint/shard.ts';
import { fileReading } from '../../../../shared/contracts/campaigns/file-reading.ts';
import { allActionTypes } from '../../../../shared/domain/step/suppressions.ts';
import { wordShape } from '../../../../shared/contracts/stored-texts.ts';
import { userId } from '../../../../shared/contracts/user-ids.ts';

const people = z.int().min(0);
const time = z.iso.datetime({ precision: 3 });

/** Maximum number of users in a request. More users need an upload. */
export const maxSuppressedAtOnce = 1000;

export const listName = z
  .union([z.literal(allActionTypes), z.string().regex(actionTypePattern)])
  .describe('Action type that the list is for; * for all of them');

export const suppressionNote = wordShape(200).describe('Reason, for people: shown where a run has suppressed the user');

export const suppressionList = z
  .object({
    actionType: z.string().describe('* for all of them'),
    people,
    version: z.int().min(1).describe('Increases with every change'),
    changedAt: time,
  })
  .meta({ id: 'SuppressionList' });

export type SuppressionListShape = z.infer<typeof suppressionList>;

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

const lastCallWithinMs = z
  .int()
  .min(0)
  .nullable()
  .describe(
    'Time after the change, in milliseconds, in which a call to these users may still begin, because a worker has claimed their batch before ' +
      '(`WORKER_LEASE_MS`). Only calls that settle a lost call, or parts of a batch that its endpoint refused as a whole, may begin later. null: ' +
      'no worker has started yet',
  );

export const suppressedPeople = suppressionList
  .extend({ added: people.describe('Number of these users that were not on the list before'), lastCallWithinMs })
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
      .describe(
        'failed: nothing of a file is stored that was refused or interrupted. If the installation failed while it added users, ' +
          'the users in `people` stay',
      ),
    cause: z.string().nullable().describe('Why it failed'),
    note: z.string().nullable(),
    rows: people.describe('Rows that were read, without header and blank lines'),
    people: people.describe('Users who were added; for a replacement, all users on the list after it'),
    rejected: people.describe('Rows without a valid user'),
    rejects: z.array(rejectedRow).describe('The first rejected rows'),
    createdAt: time,
    endedAt: time.nullable(),
    lastCallWithinMs,
    links: z.object({ self: z.string() }),
  })
  .meta({ id: 'SuppressionUpload' });

export const receivedSuppressions = suppressionUpload
  .extend({ reading: fileReading.nullable().describe('How the file was read; null if it was received before') })
  .meta({ id: 'ReceivedSuppressions' });

export type SuppressionUploadShape = z.infer<typeof suppressionUpload>;

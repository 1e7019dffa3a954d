import { z } from 'zod';
import { rejectedRow } from '../../../../shared/contracts/campaigns/uploaded-audiences.ts';
import { actionTypePattern } from '../../../../shared/domain/endpoint/shard.ts';
import { fileReading } from '../../../../shared/contracts/campaigns/file-reading.ts';
import { allActionTypes } from '../../../../shared/domain/step/suppressions.ts';
import { wordShape } from '../../../../shared/contracts/stored-texts.ts';
import { userId } from '../../../../shared/contracts/user-ids.ts';

const people = z.int().min(0);
const time = z.iso.datetime({ precision: 3 });

/** Maximum users per request; larger numbers need an upload. */
export const maxSuppressedAtOnce = 1000;

export const listName = z
  .union([z.literal(allActionTypes), z.string().regex(actionTypePattern)])
  .describe('The action type that it is for; * for all of them');

export const suppressionNote = wordShape(200).describe('Why, for people: shown where a run has left the user out');

export const suppressionList = z
  .object({
    actionType: z.string().describe('* for all of them'),
    people,
    version: z.int().min(1).describe('Moves with every change'),
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
    'How long after the change a call to these users may still begin: a worker may have claimed their batch before, for this time at most ' +
      '(`WORKER_LEASE_MS`). Only what settles a lost call, or parts of a batch that its endpoint refused as a whole, may come later. null: no ' +
      'worker has started yet',
  );

export const suppressedPeople = suppressionList
  .extend({ added: people.describe('Of these users, those that were not on it before'), lastCallWithinMs })
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
        'failed: nothing of a file stays that was refused or did not come whole. If the installation failed while it added people, ' +
          'those whom `people` counts stay',
      ),
    cause: z.string().nullable().describe('Why it failed'),
    note: z.string().nullable(),
    rows: people.describe('Rows that were read, without header and blank lines'),
    people: people.describe('Added, who were not on it before; of a replacement, all who are on the list with it'),
    rejected: people.describe('Rows that are no user'),
    rejects: z.array(rejectedRow).describe('The first of them'),
    createdAt: time,
    endedAt: time.nullable(),
    lastCallWithinMs,
    links: z.object({ self: z.string() }),
  })
  .meta({ id: 'SuppressionUpload' });

export const receivedSuppressions = suppressionUpload
  .extend({ reading: fileReading.nullable().describe('What the file was read as; null if it was received before') })
  .meta({ id: 'ReceivedSuppressions' });

export type SuppressionUploadShape = z.infer<typeof suppressionUpload>;

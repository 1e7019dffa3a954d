import { z } from 'zod';
import { wordShape } from '../stored-texts.ts';

const mostCharacters = 2000;

export const writtenRunNote = z
  .strictObject({
    text: wordShape(mostCharacters).nullable().describe('Null removes the note'),
  })
  .meta({ id: 'WrittenRunNote', examples: [{ text: 'Numbers of VN are low: the app store was down until 11:00.' }] });

export const runNote = z
  .object({
    revision: z.int().describe('Increases with every change; 0 if the run never had a note'),
    text: z.string().nullable().describe('Null if the run has no note'),
    writtenAt: z.iso.datetime({ precision: 3 }).nullable(),
    writtenBy: z
      .object({ id: z.string().describe('key_…'), name: z.string().describe('Owner of the key, or its name') })
      .nullable(),
  })
  .meta({ id: 'RunNote' });

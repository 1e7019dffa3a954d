import { z } from 'zod';
import { chainStep } from '../../../../shared/contracts/campaigns/campaigns.ts';
import { userId } from '../../../../shared/contracts/user-ids.ts';
import { countryPattern } from '../../../../shared/domain/endpoint/shard.ts';

export const messagePreviewRequest = z
  .strictObject({
    user: userId.describe('Any user id: audience, exclusions and hold-out do not apply'),
    country: z
      .string()
      .regex(countryPattern, 'has to be an ISO 3166-1 alpha-2 code in capitals, such as SG')
      .describe('Country for which the message is rendered'),
    params: chainStep.shape.params.describe('Parameters of the step'),
  })
  .meta({
    id: 'MessagePreviewRequest',
    examples: [{ user: 'u-10077214', country: 'SG', params: { template: 'congratulations' } }],
  });

const part = (description: string) => z.string().nullable().describe(`${description}; null: none`);

export const messagePreview = z
  .object({
    outcome: z
      .enum(['message', 'refused', 'unavailable'])
      .describe(
        'refused: the user would get no message. unavailable: the endpoint gave no valid answer. `cause` has the reason of both',
      ),
    message: z
      .object({
        from: part('Sender'),
        to: part('Address of the user'),
        subject: part('Subject or title'),
        html: part('HTML as the endpoint rendered it: display it in a sandbox without scripts'),
        text: part('Plain text'),
      })
      .nullable(),
    cause: z.string().nullable().describe('Why there is no message; null: there is one'),
  })
  .meta({ id: 'MessagePreview' });

export type MessagePreview = z.infer<typeof messagePreview>;

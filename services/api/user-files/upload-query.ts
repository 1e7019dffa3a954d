import { z } from 'zod';

export const columnQuery = {
  user: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .describe(
      'Name of the column of user ids; with `header=none` its number, from 1. Common names such as `userId`, `user_id`, `customer_id` or ' +
        '`external_id` are recognized without it',
    ),
  header: z.literal('none').optional().describe('none: the first line is a row'),
};

export const fileQuery = {
  ...columnQuery,
  acceptRejected: z.coerce
    .number()
    .int()
    .min(0)
    .optional()
    .describe(
      'Number of rejected rows that the caller accepts. Required if they are more than 5 % of all rows, or if one of them is not UTF-8; the ' +
        'refusal names the number',
    ),
};

export const countryQuery = {
  country: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .describe(
      'An ISO 3166-1 alpha-2 code in capitals, such as `SG`, is the country of all users. Any other text is the name of the column of ' +
        'countries; with `header=none` its number, from 1. Absent: the column is named `country`',
    ),
};

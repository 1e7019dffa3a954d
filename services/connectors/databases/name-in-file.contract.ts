import { z } from 'zod';
import { actionTypePattern } from '../../../shared/domain/endpoint/shard.ts';

/** Name of a database, a segment or an action in the connectors' file. */
export const nameInFile = z.string().regex(actionTypePattern);

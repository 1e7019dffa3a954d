import { tellNext, writeData, type CommandContext } from '../frame/command-context.ts';
import { exitCodes, type ExitCode } from '../frame/exit-codes.ts';
import { renderAudit } from '../runs/render-control.ts';
import { createPaint } from '../show/paint.ts';
import type { AuditQuery } from '../api/api-client.ts';
import { patientApi } from '../campaigns/commands.ts';

/** Who changed what through the API, the newest first. */
export async function listChanges(query: AuditQuery, context: CommandContext): Promise<ExitCode> {
  const { terminal } = context;
  const { value, raw } = await patientApi(context).changes(query);
  writeData(context, raw, () => renderAudit(value.items, createPaint(terminal.colours.out), terminal.outColumns));
  tellNext(context, value.next);
  return exitCodes.ok;
}

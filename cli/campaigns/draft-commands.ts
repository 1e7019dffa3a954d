import { writeData, type CommandContext } from '../frame/command-context.ts';
import { exitCodes, type ExitCode } from '../frame/exit-codes.ts';
import { renderPreview } from '../audiences/render.ts';
import { createPaint } from '../show/paint.ts';
import { labelled, patientApi, showWarnings } from './commands.ts';
import { optionLabel, readDefinition, type DefinitionOptions } from './definition.ts';

export async function changeCampaign(
  id: string,
  options: DefinitionOptions,
  context: CommandContext,
): Promise<ExitCode> {
  const definition = await readDefinition(options, context.input);
  const { value, raw } = await labelled(options, () => patientApi(context).changeCampaign(id, definition));
  writeData(context, raw, () => `${value.id} ${value.state}, revision ${value.revision}\n`);
  showWarnings(value, context);
  return exitCodes.ok;
}

/** Refused where something is wrong with the definition: a script can ask before it creates. */
export async function previewCampaign(options: DefinitionOptions, context: CommandContext): Promise<ExitCode> {
  const definition = await readDefinition(options, context.input);
  const { value, raw } = await patientApi(context).previewCampaign(definition);
  const labelOf = options.file === undefined ? optionLabel : (pointer: string) => pointer;
  writeData(context, raw, () => renderPreview(value, labelOf, createPaint(context.terminal.colours.out)));
  return value.problems.length === 0 ? exitCodes.ok : exitCodes.refused;
}

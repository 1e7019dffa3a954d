/** A module that imports files by their names, so that no import statement mentions them. */
interface FileFinder {
  module: string;
  folder: string;
  files: RegExp;
}

const fileFinders: readonly FileFinder[] = [
  { module: 'cli/frame/found-commands.ts', folder: 'cli', files: /^cli\/[^/]+\/(?:.+\.)?commands\.ts$/ },
  { module: 'services/api/api.ts', folder: 'services/api', files: /\/routes\.ts$/ },
  { module: 'shared/postgres/connection/migrate.ts', folder: 'migrations', files: /(?<!\.test)\.(?:ts|sql)$/ },
  {
    module: 'services/console/src/router.ts',
    folder: 'services/console/src/views',
    files: /\/views\/[^/]+\/(?:.+-)?route\.ts$/,
  },
];

/**
 * Returns the files that a module finds by their names; none for most modules.
 *
 * @param filesBelow returns all files of a folder of the repository
 */
export function filesFoundBy(module: string, filesBelow: (folder: string) => readonly string[]): string[] {
  const finder = fileFinders.find((each) => each.module === module);
  return finder ? filesBelow(finder.folder).filter((file) => finder.files.test(file)) : [];
}

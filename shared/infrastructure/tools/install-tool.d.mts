export interface InstallToolDeps {
  /** The folder for what is kept between runs. */
  cache: string;
  /** Whose npm and whose settings of it count. */
  environment: NodeJS.ProcessEnv;
  /** Gets a line when something is fetched. */
  report: (line: string) => void;
  /** What is needed of the package's files; all, where it is not given. */
  keep?: readonly string[];
}

/** The folder of the package that the tool is, or undefined while it is not in the cache. */
export function findTool(source: string, cache: string): string | undefined;

/**
 * As `findTool`, which it is installed for where it is not there.
 *
 * @throws when npm could not, or there is none for this platform: the message says which tool and why
 */
export function installTool(source: string, deps: InstallToolDeps): Promise<string>;

import { basePath, csrfHeader } from '../../api/client.ts';

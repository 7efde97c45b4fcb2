/** The most pictures to take from one folder. */
const MAX_FILES = 500;

/** The dropped PNG files, including those in folders. Call it in the event's handler: the data is gone afterwards. */
export async function droppedFiles(data: DataTransfer): Promise<File[]> {
  const entries = [...data.items].flatMap((item) => item.webkitGetAsEntry() ?? []);
  const files: File[] = [];
  for (const entry of entries) await collect(entry, files);
  return entries.length > 0 ? files : [...data.files];
}

async function collect(entry: FileSystemEntry, files: File[]): Promise<void> {
  if (files.length >= MAX_FILES) return;
  if (entry.isFile) {
    const file = await new Promise<File>((done, failed) => (entry as FileSystemFileEntry).file(done, failed));
    files.push(file);
    return;
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  for (;;) {
    const part = await new Promise<FileSystemEntry[]>((done, failed) => reader.readEntries(done, failed));
    if (part.length === 0) return; // browsers list a folder's files in parts
    for (const inner of part) {
      if (inner.isDirectory || /\.png$/i.test(inner.name)) await collect(inner, files);
    }
  }
}

/** The PNG files of a folder that the person picks. */
export async function chooseFolder(): Promise<File[]> {
  const input = document.createElement('input');
  input.type = 'file';
  input.webkitdirectory = true;
  const chosen = new Promise<File[]>((resolve) => {
    input.addEventListener('change', () => resolve([...(input.files ?? [])]), { once: true });
    input.addEventListener('cancel', () => resolve([]), { once: true });
  });
  input.click();
  return (await chosen).filter(({ name }) => /\.png$/i.test(name)).slice(0, MAX_FILES);
}

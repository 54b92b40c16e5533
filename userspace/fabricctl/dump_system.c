// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * What the host knows: versions, the PCI device, interrupts
 */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "dump.h"

#define MODULE	"/sys/module/ocfabric"
#define DEVICES	"/sys/bus/pci/devices"

/* ---- versions ----------------------------------------------------------- */

static void put_fact(struct json_object *rows, const char *what, const char *value)
{
	struct json_object *row = json_object_new_object();

	put_string(row, "what", what);
	if (value)
		put_string(row, "value", value);
	else
		put_null(row, "value");
	json_object_array_add(rows, row);
}

static void put_file(struct json_object *rows, const char *what, const char *path)
{
	char text[256];

	put_fact(rows, what, first_line(path, text, sizeof(text)) ? text : NULL);
}

static int add_versions(struct dump *dump, const void *arg)
{
	static const struct column columns[] = {
		{ "what", COL_PLAIN, true },
		{ "value", COL_PLAIN, true },
	};
	struct json_object *rows = json_object_new_array();
	struct utsname name;
	char text[64];

	(void)arg;
	snprintf(text, sizeof(text), "%d.%d", OCFABRIC_VERSION_MAJOR,
		 OCFABRIC_VERSION_MINOR);
	put_fact(rows, "fabricctl", VERSION);
	put_fact(rows, "interface", text);
	put_file(rows, "driver", MODULE "/version");
	put_file(rows, "driver_srcversion", MODULE "/srcversion");
	put_file(rows, "driver_state", MODULE "/initstate");
	put_file(rows, "driver_taint", MODULE "/taint");
	if (!uname(&name)) {
		put_fact(rows, "kernel", name.release);
		put_fact(rows, "kernel_version", name.version);
		put_fact(rows, "machine", name.machine);
	}
	put_file(rows, "kernel_tainted", "/proc/sys/kernel/tainted");
	return dump_rows(dump, "versions", columns, ARRAY_SIZE(columns), rows);
}

/* ---- PCI ---------------------------------------------------------------- */

static void put_link(FILE *out, const char *folder, const char *name)
{
	char path[512], target[512];
	ssize_t n;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	n = readlink(path, target, sizeof(target) - 1);
	if (n < 0)
		return;
	target[n] = 0;
	fprintf(out, "%s: %s\n", name, strrchr(target, '/') ?
		strrchr(target, '/') + 1 : target);
}

static void put_names(FILE *out, const char *folder, const char *name)
{
	struct dirent **entry;
	char path[512];
	int i, nr;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	nr = scandir(path, &entry, NULL, alphasort);
	if (nr < 0)
		return;
	fprintf(out, "%s:", name);
	for (i = 0; i < nr; i++) {
		if (entry[i]->d_name[0] != '.')
			fprintf(out, " %s", entry[i]->d_name);
		free(entry[i]);
	}
	free(entry);
	fputc('\n', out);
}

/* All lines of a file, each behind the file's name. */
static void put_lines(FILE *out, const char *folder, const char *name)
{
	char path[512], line[512];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	file = fopen(path, "re");
	if (!file)
		return;
	while (fgets(line, sizeof(line), file))
		fprintf(out, "%s: %s", name, line);
	fclose(file);
}

static int add_pci(struct dump *dump, const void *arg)
{
	static const char *const files[] = {
		"vendor", "device", "subsystem_vendor", "subsystem_device",
		"class", "revision", "enable", "irq", "numa_node",
		"local_cpulist", "power_state", "reset_method",
		"current_link_speed", "current_link_width", "max_link_speed",
		"max_link_width", "aer_dev_correctable", "aer_dev_nonfatal",
		"aer_dev_fatal", "resource",
	};
	const struct card *card = arg;
	char folder[256];
	unsigned int i;

	snprintf(folder, sizeof(folder), DEVICES "/%s", card->pci);
	fprintf(dump->text, "address: %s\n", card->pci);
	for (i = 0; i < ARRAY_SIZE(files); i++)
		put_lines(dump->text, folder, files[i]);
	put_link(dump->text, folder, "driver");
	put_link(dump->text, folder, "iommu_group");
	put_names(dump->text, folder, "msi_irqs");
	return 0;
}

/* As lspci -xxxx prints it, so that lspci -F can read it. */
static int add_pci_config(struct dump *dump, const void *arg)
{
	const struct card *card = arg;
	unsigned char config[4096];
	char path[256];
	size_t i, n;
	FILE *file;

	snprintf(path, sizeof(path), DEVICES "/%s/config", card->pci);
	file = fopen(path, "re");
	if (!file)
		return fail(ST_REFUSED, "%s: %s", path, strerror(errno));
	n = fread(config, 1, sizeof(config), file);
	fclose(file);
	fprintf(dump->text, "%s card\n", card->pci);
	for (i = 0; i < n; i++) {
		if (i % 16 == 0)
			fprintf(dump->text, "%02zx:", i);
		fprintf(dump->text, i % 16 == 15 ? " %02x\n" : " %02x", config[i]);
	}
	return 0;
}

/* ---- interrupts --------------------------------------------------------- */

static int add_interrupts(struct dump *dump, const void *arg)
{
	FILE *file = fopen("/proc/interrupts", "re");
	char *line = NULL;
	size_t size = 0;
	bool first = true;

	(void)arg;
	if (!file)
		return fail(ST_REFUSED, "/proc/interrupts: %s", strerror(errno));
	while (getline(&line, &size, file) > 0) {
		if (first || strstr(line, "ocfabric"))
			fputs(line, dump->text);
		first = false;
	}
	free(line);
	fclose(file);
	return 0;
}

void dump_system(struct dump *dump)
{
	dump_part(dump, "versions", add_versions, NULL);
	if (dump->ctl->nr_cards) {
		dump_part(dump, "pci", add_pci, &dump->ctl->cards[0]);
		dump_part(dump, "pci-config", add_pci_config, &dump->ctl->cards[0]);
	}
	dump_part(dump, "interrupts", add_interrupts, NULL);
	dump_kernel_log(dump);
}

// SPDX-License-Identifier: GPL-2.0-only
/* The module: netlink family and PCI driver. */
#include <linux/module.h>

#include "netlink.h"
#include "ocfabric.h"

static int __init ocf_init(void)
{
	int ret;

	ocf_sysfs_init();
	ret = genl_register_family(&ocfabric_nl_family);
	if (ret)
		return ret;
	ret = pci_register_driver(&ocf_pci_driver);
	if (ret)
		genl_unregister_family(&ocfabric_nl_family);
	return ret;
}

static void __exit ocf_exit(void)
{
	pci_unregister_driver(&ocf_pci_driver);
	genl_unregister_family(&ocfabric_nl_family);
}

module_init(ocf_init);
module_exit(ocf_exit);

MODULE_DESCRIPTION("One-card fabric between the replicas of a service");
MODULE_LICENSE("GPL");
MODULE_ALIAS_GENL_FAMILY(OCFABRIC_FAMILY_NAME);

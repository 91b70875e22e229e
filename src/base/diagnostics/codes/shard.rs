//! Codes of the shards of a site.

family! { ALL:
    SHARD_NEEDS_CONTENT = "shard.needs-content" Error "the content of a run of the shard is missing"
        why "`--records` gives a machine the records of all runs, so that it knows their order and addresses. The runs of its own shard are made from their content, which must be there. A run belongs to a shard by its id, so it stays in its shard when other runs come and go."
        bad "runpress build --shard 2/4 --records records    # and none of the run folders of shard 2"
        good "runpress build --shard 2/4 --records records    # with the run folders of shard 2 in content/";
}
